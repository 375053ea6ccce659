"""Write python/faircast/model.py, the classes of a scenario's parts, from crates/scenario/schema.json.

Run it after the schema has changed; `--check` only says whether the file is up to date.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "crates" / "scenario" / "schema.json"
MODEL = ROOT / "python" / "faircast" / "model.py"
WIDTH = 120
REF = "#/$defs/"

HEAD = '''"""The parts of a scenario as classes, for scenarios that are put together in Python.

Made by tools/generate_model.py from the JSON schema: do not edit. All arguments are given by name; None means that the
key is left out, so that its default holds. Quantities are texts with units, such as "1.5 Mbit/s" or "250 ms".

Each object is checked when it is made: one that cannot be part of a scenario raises `faircast.InputError` with all that
is wrong. What depends on the other parts is checked when the scenario is run or validated.

Examples
--------
>>> from faircast.model import Dumbbell, Scenario, Tcp
>>> scenario = Scenario(
...     name="two-flows",
...     duration="60 s",
...     topology=Dumbbell(left=2, right=2),
...     flows={"web": Tcp(count=2, variant="newreno")},
... )
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, TypeAlias

from faircast.parts import Part, checked'''


def main() -> None:
    """Write the file, or with --check say whether it would change."""
    text = generate(json.loads(SCHEMA.read_text(encoding="utf-8")))
    if "--check" in sys.argv[1:]:
        if MODEL.read_text(encoding="utf-8") != text:
            sys.exit("python/faircast/model.py is out of date: run python3 tools/generate_model.py")
        return
    MODEL.write_text(text, encoding="utf-8")


def generate(schema: dict[str, Any]) -> str:
    """The whole module."""
    definitions: dict[str, dict[str, Any]] = schema["$defs"]
    words = [alias(name, literal(node["enum"]), node) for name, node in definitions.items() if "enum" in node]
    named = {name: node for name, node in definitions.items() if "properties" in node}
    family = Family(named)
    classes = [dataclass(name, node, definitions, family) for name, node in family.in_order()]
    choices = [
        alias(name, quoted([reference(choice) for choice in node["oneOf"]]), node)
        for name, node in definitions.items()
        if "oneOf" in node
    ]
    left = [name for name, node in definitions.items() if not {"enum", "properties", "oneOf"} & set(node)]
    if left:
        sys.exit(f"this program does not know how to write {', '.join(left)}")
    classes.append(dataclass("Scenario", schema, definitions, family))
    parts = [HEAD, "\n\n", "\n".join(words), "\n\n\n", "\n\n\n".join(classes), "\n\n\n", "\n".join(choices), "\n"]
    return "".join(parts)


SHARED = {
    "AnySession": ("What every session may say, of whatever scheme.", r"\w+Session"),
    "AnyFlow": ("What every flow may say, of whatever kind.", r"Cbr|OnOff|Tcp"),
    "AnyLink": ("What both ways of a link, or one of them, may say.", r"Duplex|Link|Settings"),
}
"""Classes that no key names: description, and the classes whose common keys they hold."""


class Family:
    """Which class takes keys over from which, so that each text stands once.

    A class takes over another if it has all keys of it, word for word: a session the parameters of its scheme, a scheme
    built on TFMCC those of TFMCC. `SHARED` are made for that alone.
    """

    def __init__(self, named: dict[str, dict[str, Any]]) -> None:
        self.shared = {name: common(named, about, pattern) for name, (about, pattern) in SHARED.items()}
        self.nodes = self.shared | named
        self.bases = {name: self.bases_of(name) for name in self.nodes}

    def bases_of(self, name: str) -> list[str]:
        """The classes that a class takes over."""
        bases = [base for base, (_, pattern) in SHARED.items() if re.fullmatch(pattern, name)]
        if name.endswith("Session"):
            bases.append(name.removesuffix("Session") + "Parameters")
        elif name.endswith("Parameters") and self.holds(self.nodes[name], "Tfmcc"):
            bases.append("Tfmcc")
        return [] if name in self.shared else bases

    def holds(self, node: dict[str, Any], base: str) -> bool:
        """Whether a node has every key of the class `base`."""
        own = node["properties"]
        return all(own.get(key) == value for key, value in self.nodes[base]["properties"].items())

    def taken_over(self, name: str) -> set[str]:
        """The keys that a class has from its bases."""
        bases = self.bases.get(name, [])
        keys = {key for base in bases for key in self.nodes[base]["properties"]}
        required = set(self.nodes.get(name, {}).get("required", []))
        return keys - (required - {key for base in bases for key in self.nodes[base].get("required", [])})

    def in_order(self) -> list[tuple[str, dict[str, Any]]]:
        """All classes, each after those that it takes over."""
        ordered: dict[str, dict[str, Any]] = {}

        def add(name: str) -> None:
            for base in self.bases[name]:
                add(base)
            ordered.setdefault(name, self.nodes[name])

        for name in self.nodes:
            add(name)
        return list(ordered.items())


def common(named: dict[str, dict[str, Any]], about: str, pattern: str) -> dict[str, Any]:
    """A node of the keys that all classes with such names have, word for word."""
    first, *others = (node for name, node in named.items() if re.fullmatch(pattern, name))
    tags = ("kind", "scheme")
    shared = {
        key: value
        for key, value in first["properties"].items()
        if key not in tags and all(other["properties"].get(key) == value for other in others)
    }
    required = [key for key in first.get("required", []) if key in shared]
    return {"description": about, "properties": shared, "required": required}


def dataclass(name: str, node: dict[str, Any], definitions: dict[str, dict[str, Any]], family: Family) -> str:
    """A class whose fields are the keys of an object, each described in the docstring of the class."""
    required = set(node.get("required", []))
    bases = family.bases.get(name, [])
    checked = [] if name in family.shared else ["@checked"]
    lines = [
        *checked,
        "@dataclasses.dataclass(kw_only=True, repr=False)",
        f"class {name}({', '.join(bases or ['Part'])}):",
    ]
    fields = dict(node["properties"])
    tags = [(tag, fields.pop(tag, {}).get("const")) for tag in ("kind", "scheme")]
    taken_over = family.taken_over(name)
    order = sorted((key for key in fields if key not in taken_over), key=lambda key: (key not in required, key))
    text = node["description"]
    if bases:
        names = " and ".join(f"`{base}`" for base in bases)
        text += f"\n\nIt takes, too, what {names} {'takes' if len(bases) == 1 else 'take'}."
    about = docstring(text)
    if order:
        about = with_parameters(about, [(attribute(key), fields[key], key in required) for key in order], definitions)
    lines += [*about, ""]
    for tag, name_of_tag in tags:
        if name_of_tag is not None:
            lines += [f'    {tag}: ClassVar[str | None] = "{name_of_tag}"', ""]
    for key in order:
        field = fields[key]
        if key not in required:
            lines.append(f"    {attribute(key)}: {type_of(field)} | None = None")
        elif "minimum" in field and field["minimum"] == field.get("maximum"):
            # Only one value is legal: nobody needs to give it.
            lines.append(f"    {attribute(key)}: {type_of(field)} = {field['minimum']}")
        else:
            lines.append(f"    {attribute(key)}: {type_of(field)}")
    while not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def attribute(key: str) -> str:
    """The key as a name of Python."""
    return key + "_" if keyword.iskeyword(key) else key


def with_parameters(
    about: list[str], fields: list[tuple[str, dict[str, Any], bool]], definitions: dict[str, dict[str, Any]]
) -> list[str]:
    """The docstring of a class with a section about its fields: name, description, whether it is required."""
    lines = ["", "    Parameters", "    ----------"]
    for name, field, is_required in fields:
        # What may be a list is described by one of its values.
        one = field["anyOf"][0] if "x-each" in field else field
        kind = words_of(one, definitions) or type_of(one)
        if "x-quantity" in one:
            kind += f" such as {json.dumps(one['examples'][0])}"
        if "x-each" in field:
            kind += " or a sequence of such"
            kind += ", or Series" if len(field["anyOf"]) > 2 else ""
        head = f"{name} : {kind}" + ("" if is_required else ", optional")
        lines += [
            f"    {line}" for line in textwrap.wrap(head, WIDTH - 4, subsequent_indent="    ", break_on_hyphens=False)
        ]
        text = field["description"] + legal(one)
        for number, paragraph in enumerate(text.replace("\\", "\\\\").split("\n\n")):
            room = WIDTH - 8
            wrapped = [
                piece for line in paragraph.split("\n") for piece in textwrap.wrap(line, room, break_on_hyphens=False)
            ]
            lines += ([""] if number else []) + [f"        {line}" for line in wrapped]
        if not lines[-1].endswith((".", "!", "?")):
            lines[-1] += "."
    quotes = '"""'
    begin = [about[0].removesuffix(quotes)] if len(about) == 1 else about[:-1]
    return [*begin, *lines, f"    {quotes}"]


BOUNDS = {"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "x-legal", "x-reason"}


def legal(field: dict[str, Any]) -> str:
    """A sentence about the bounds of a value, if it has some; of what may be a series those of one value."""
    if not BOUNDS & set(field) and "anyOf" in field:
        field = field["anyOf"][0]
    parts = [field[key] for key in ("x-legal",) if key in field] + between(field)
    if "x-reason" in field:
        parts[-1] += f", {field['x-reason']}"
    return f" Legal: {'; '.join(parts)}." if parts else ""


def between(field: dict[str, Any]) -> list[str]:
    """The bounds of a number in the words of messages, `words` of `limits.rs`; nothing if it has none."""
    low, high = (
        next((as_text(field[key]) for key in keys if key in field), None)
        for keys in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
    )
    if low is None and high is None:
        return []
    above, below = "exclusiveMinimum" in field, "exclusiveMaximum" in field
    if low is None:
        return [f"{'below' if below else 'at most'} {high}"]
    if high is None:
        return [f"above {low}" if above else f"{low} or more"]
    if low == high:
        return [low]
    if below:
        return [f"above {low} and below {high}" if above else f"from {low} to less than {high}"]
    return [f"above {low} up to {high}" if above else f"{low} to {high}"]


def as_text(number: float) -> str:
    """A number as people write it: 1.0 is 1."""
    return str(number) if isinstance(number, int) else f"{number:.15g}"


def words_of(field: dict[str, Any], definitions: dict[str, dict[str, Any]]) -> str | None:
    """The words that are legal, where there are such: the names of their types say less."""
    node = definitions[reference(field)] if "$ref" in field else field
    return f"{{{', '.join(json.dumps(word) for word in node['enum'])}}}" if "enum" in node else None


def alias(name: str, value: str, node: dict[str, Any]) -> str:
    """A name for a choice."""
    text = docstring(node["description"], indent="")
    line = f"{name}: TypeAlias = {value}"
    if len(line) > 120 and value.startswith("Literal["):  # as ruff breaks it
        words = value.removeprefix("Literal[").removesuffix("]").split(", ")
        line = "\n".join([f"{name}: TypeAlias = Literal[", *(f"    {word}," for word in words), "]"])
    elif len(line) > 120:
        parts = textwrap.wrap(value.strip('"'), WIDTH - len('     ""'), break_long_words=False)
        quoted = [f'    "{part} "' for part in parts[:-1]] + [f'    "{parts[-1]}"']
        line = "\n".join([f"{name}: TypeAlias = (", *quoted, ")"])
    return "\n".join([line, *text])


def type_of(node: dict[str, Any]) -> str:
    """The Python type of a value."""
    if "$ref" in node:
        return reference(node)
    if "anyOf" in node:
        # A text that is one of several things is a text; a word beside numbers is named.
        types = list(dict.fromkeys(type_of(choice) for choice in node["anyOf"]))
        return " | ".join(kind for kind in types if not ("str" in types and kind.startswith("Literal")))
    if "const" in node:
        return f"Literal[{json.dumps(node['const'])}]"
    match node["type"]:
        case "string":
            return "str"
        case "boolean":
            return "bool"
        case "integer":
            return "int"
        case "number":
            return "float"
        case "array":
            return f"Sequence[{type_of(node['items'])}]"
        case "object" if isinstance(node.get("additionalProperties"), dict):
            return f"Mapping[str, {type_of(node['additionalProperties'])}]"
        case "object" if "properties" in node:
            # Its keys are names, such as those of schemes, that need not be names of Python; each has a class.
            return "Mapping[str, Part]"
        case other:
            sys.exit(f"this program does not know the type {other} of {node}")


def reference(node: dict[str, Any]) -> str:
    """The name of the definition that is referred to."""
    return str(node["$ref"]).removeprefix(REF)


def literal(words: list[str]) -> str:
    """One of some words."""
    return f"Literal[{', '.join(json.dumps(word) for word in words)}]"


def quoted(names: list[str]) -> str:
    """A union of classes, as text."""
    return f'"{" | ".join(names)}"'


def docstring(text: str, indent: str = "    ", *, split: bool = True) -> list[str]:
    """A docstring, wrapped; if `split`, the first sentence stands alone."""
    text = text.replace("\\", "\\\\")
    paragraphs = text.split("\n\n")
    first = re.match(r"(.+?[.!?])\s+(?=[A-Z\"`])(.+)", paragraphs[0])
    if split and first:
        paragraphs[:1] = [first[1], first[2]]
    if not paragraphs[0].endswith((".", "!", "?")):
        paragraphs[0] += "."
    wrapped: list[str] = []
    for number, paragraph in enumerate(paragraphs):
        room = WIDTH - len(indent) - (6 if number == 0 else 0)
        lines = [piece for line in paragraph.split("\n") for piece in wrap_item(line, room)]
        wrapped += ([""] if number else []) + lines
    if len(wrapped) == 1:
        return [f'{indent}"""{wrapped[0]}"""']
    body = [f"{indent}{line}" if line else "" for line in wrapped[1:]]
    return [f'{indent}"""{wrapped[0]}', *body, f'{indent}"""']


def wrap_item(line: str, room: int) -> list[str]:
    """A line, wrapped; what says the meaning of a word is an item of a list."""
    if not re.match(r'"[^"]+": ', line):
        return textwrap.wrap(line, room, break_on_hyphens=False)
    return textwrap.wrap(f"* {line}", room, subsequent_indent="  ", break_on_hyphens=False)


if __name__ == "__main__":
    main()
