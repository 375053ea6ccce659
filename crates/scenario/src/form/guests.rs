//! Guests in the schema of scenarios: each of their kinds is a variant beside the built-in ones.

use super::definitions::{REF, class_name};
use super::quantity;
use super::simplify::{close, simplify};
use crate::model::SessionCourse;
use crate::problem::given;
use faircast_proto::guest::{Kind, ORIGIN, SchemeKind, Sort};
use faircast_proto::tcp::rule::RuleKind;
use faircast_sim::queue::QueueKind;
use faircast_sim::router::AgentKind;
use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError, Validator};
use serde_json::{Map, Value, json};

/// Adds all kinds that guests have brought by now to the schema.
pub(super) fn add(schema: &mut Value) {
    let mut course = schemars::schema_for!(SessionCourse).to_value();
    simplify(&mut course);
    let none = json!({});
    tagged::<dyn SchemeKind>(schema, "Session", &course);
    tagged::<dyn QueueKind>(schema, "Queue", &none);
    tagged::<dyn AgentKind>(schema, "RouterAgent", &none);
    words_and_tables::<dyn RuleKind>(schema, "Variant");
}

/// Which kinds there are by now: something that differs once there are others.
pub(crate) fn present() -> Vec<usize> {
    fn of<G: Sort + ?Sized>() -> impl Iterator<Item = usize> {
        G::guests().all().into_iter().map(|kind| std::ptr::from_ref(kind).addr())
    }
    of::<dyn SchemeKind>()
        .chain(of::<dyn QueueKind>())
        .chain(of::<dyn AgentKind>())
        .chain(of::<dyn RuleKind>())
        .collect()
}

/// Adds the kinds of a sort to a choice of tables. `beside`: what each of them has beside its own parameters.
fn tagged<G: Sort + ?Sized>(schema: &mut Value, choice: &str, beside: &Value) {
    for kind in G::guests().all() {
        let reference = define(schema, kind, beside);
        let variants = schema["$defs"][choice]["oneOf"].as_array_mut().expect("a tagged choice");
        variants.push(reference);
    }
}

/// Adds the kinds of a sort to a choice of words: as words where everything has a default, and as tables.
fn words_and_tables<G: Sort + ?Sized>(schema: &mut Value, choice: &str) {
    let kinds = G::guests().all();
    if kinds.is_empty() {
        return;
    }
    let tables: Vec<Value> = kinds.iter().map(|kind| define(schema, kind, &json!({}))).collect();
    let words = &mut schema["$defs"][choice];
    let about = words["description"].take();
    if let Some(names) = words["enum"].as_array_mut() {
        let plain = kinds.iter().filter(|kind| kind.read(Map::new()).is_ok());
        names.extend(plain.map(|kind| Value::from(kind.name())));
    }
    let mut choices = vec![json!({ "type": "string", "enum": words["enum"] })];
    choices.extend(tables);
    *words = json!({ "description": about, "anyOf": choices });
}

/// Adds the definition of a kind and returns the reference to it.
fn define<G: Sort + ?Sized>(schema: &mut Value, kind: &'static Kind<G>, beside: &Value) -> Value {
    let mut own = kind.schema().clone();
    simplify(&mut own);
    let mut properties = Map::new();
    properties.insert(G::TAG.into(), json!({ "type": "string", "const": kind.name() }));
    let origin = "The crate that this is from, and its version: results name it. May be left out.";
    properties.insert(
        ORIGIN.into(),
        json!({ "type": "string", "const": kind.origin(), ORIGIN_MARK: true, "description": origin }),
    );
    let mut required = vec![Value::from(G::TAG)];
    for part in [beside, &own] {
        properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    let mut definition = json!({
        "type": "object",
        "description": format!("{} From {}.", kind.about(), kind.origin()),
        "properties": properties,
        "required": required,
        "x-guest": { "sort": G::WHAT, "name": kind.name() },
    });
    close(&mut definition);
    let name = class_name(G::TAG, kind.name());
    let name = if schema["$defs"].get(&name).is_some() { format!("Guest{name}") } else { name };
    let reference = json!({ "$ref": format!("{REF}{name}") });
    schema["$defs"][name] = definition;
    reference
}

/// Marks the property that says where a guest is from.
pub(super) const ORIGIN_MARK: &str = "x-origin";

/// The keyword `x-guest`: the guest itself must be able to read its parameters, once they are as its schema says.
struct Readable {
    /// Judges the guest's own parameters.
    form: Validator,
    keys: Vec<String>,
    read: Box<Reader>,
}

/// Says what keeps a guest from reading these parameters.
type Reader = dyn Fn(Map<String, Value>) -> Result<(), String> + Send + Sync;

pub(crate) fn keyword<'a>(
    _parent: &'a Map<String, Value>,
    value: &'a Value,
    _path: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    let (sort, name) = (value["sort"].as_str().unwrap_or_default(), value["name"].as_str().unwrap_or_default());
    let found = readable::<dyn SchemeKind>(sort, name)
        .or_else(|| readable::<dyn QueueKind>(sort, name))
        .or_else(|| readable::<dyn AgentKind>(sort, name))
        .or_else(|| readable::<dyn RuleKind>(sort, name));
    match found {
        Some(keyword) => Ok(Box::new(keyword)),
        None => Err(ValidationError::custom(format!("there is no {sort} {name}"))),
    }
}

fn readable<G: Sort + ?Sized>(sort: &str, name: &str) -> Option<Readable> {
    let kind = G::guests().get(name).filter(|_| sort == G::WHAT)?;
    let keys = kind.schema()["properties"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    let form = jsonschema::options().with_keyword("x-quantity", quantity::keyword).build(kind.schema()).ok()?;
    Some(Readable { form, keys, read: Box::new(move |parameters| kind.read(parameters).map(drop)) })
}

impl<'i> Keyword<'i> for Readable {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        let Value::Object(table) = instance else { return Ok(()) };
        let own = |(key, value): (&String, &Value)| self.keys.contains(key).then(|| (key.clone(), value.clone()));
        let own: Map<String, Value> = table.iter().filter_map(own).collect();
        let value = Value::Object(own);
        if !self.form.is_valid(&value) {
            // Its schema says so by itself, and better.
            return Ok(());
        }
        let Value::Object(own) = value else { return Ok(()) };
        (self.read)(own)
            .map_err(|message| ValidationError::custom(format!("{} cannot be read: {message}", given(instance))))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        self.validate(instance).is_ok()
    }
}
