//! FLUTE's table of files (FDT Instance), which travels as object 0: a document of XML (RFC 6726 section 3.4.2),
//! written and read here as far as its schema goes. Sections without a number of an RFC are of RFC 6726.
//!
//! The reader takes what senders of such tables write: elements, attributes, comments and the five entities that XML
//! has by itself, and numbers of characters. Documents that declare entities of their own are refused. What is not of
//! the schema is passed over.

use std::borrow::Cow;
use std::fmt::Write;

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table<'a> {
    /// When it is no longer valid: seconds since 1900, of which the upper bits are left out (section 3.3).
    pub expires_s: u32,
    /// Whether no file will be added.
    pub complete: bool,
    /// What holds of each file that says nothing else.
    pub code: Code,
    /// The files, at least one.
    pub files: Vec<File<'a>>,
}

/// A file of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File<'a> {
    /// Its object (TOI), not 0.
    pub object: u128,
    /// Its URI.
    pub location: Cow<'a, str>,
    /// Its bytes.
    pub content_bytes: Option<u64>,
    /// Its bytes as they travel, if it is packed.
    pub transfer_bytes: Option<u64>,
    /// Its type, as of MIME.
    pub content_type: Option<Cow<'a, str>>,
    /// How it is packed, as HTTP names it.
    pub content_encoding: Option<Cow<'a, str>>,
    /// Its MD5 digest in Base64.
    pub content_md5: Option<Cow<'a, str>>,
    /// How it is cut into symbols.
    pub code: Code,
}

/// FEC Object Transmission Information, by the names of its attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The scheme (FEC Encoding ID).
    pub fec_id: Option<u8>,
    /// Which code of a scheme of several (FEC Instance ID).
    pub instance: Option<u64>,
    /// The most symbols of a source block.
    pub block_len: Option<u64>,
    /// Bytes of a symbol.
    pub symbol_bytes: Option<u64>,
    /// The most encoding symbols of a block.
    pub symbols: Option<u64>,
}

/// Why a document is no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It is not well-formed, as far as that is looked at, or has what is refused.
    Xml,
    /// An attribute that must be there is not, or is no number where one is wanted.
    Attribute {
        /// Its name.
        name: &'static str,
    },
    /// Its first element is none of a table, or there is no file in it.
    Empty,
}

const ROOT: &str = "FDT-Instance";
const FILE: &str = "File";

/// Appends a table.
pub fn write(table: &Table<'_>, out: &mut String) {
    let _ = write!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{ROOT} xmlns=\"urn:ietf:params:xml:ns:fdt\"");
    attribute(out, "Expires", &table.expires_s.to_string());
    if table.complete {
        attribute(out, "Complete", "true");
    }
    table.code.write(out);
    out.push_str(">\n");
    for file in &table.files {
        let _ = write!(out, "  <{FILE}");
        attribute(out, "Content-Location", &file.location);
        attribute(out, "TOI", &file.object.to_string());
        number(out, "Content-Length", file.content_bytes);
        number(out, "Transfer-Length", file.transfer_bytes);
        for (name, value) in [
            ("Content-Type", &file.content_type),
            ("Content-Encoding", &file.content_encoding),
            ("Content-MD5", &file.content_md5),
        ] {
            if let Some(value) = value {
                attribute(out, name, value);
            }
        }
        file.code.write(out);
        out.push_str("/>\n");
    }
    let _ = writeln!(out, "</{ROOT}>");
}

/// Reads a table. Its texts are borrowed from the document but for those with entities.
///
/// # Errors
/// If it is none.
pub fn read(document: &str) -> Result<Table<'_>, Malformed> {
    let mut rest = document.trim_start_matches('\u{feff}');
    let mut depth = 0_usize;
    let mut table = Table::default();
    let mut has_begun = false;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = &comment[comment.find("-->").ok_or(Malformed::Xml)? + 3..];
            continue;
        }
        if rest.starts_with("<!") {
            return Err(Malformed::Xml);
        }
        let (tag, behind) = tag(rest)?;
        rest = behind;
        if tag.starts_with('?') {
            continue;
        }
        if tag.starts_with('/') {
            depth = depth.checked_sub(1).ok_or(Malformed::Xml)?;
            continue;
        }
        let is_whole = tag.ends_with('/');
        let tag = tag.strip_suffix('/').unwrap_or(tag);
        let (name, attributes) = tag.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((tag, ""));
        match (depth, local(name)) {
            (0, ROOT) if !has_begun => {
                table.read_attributes(attributes)?;
                has_begun = true;
            }
            (0, _) => return Err(Malformed::Empty),
            (1, FILE) => table.files.push(File::read(attributes)?),
            _ => {}
        }
        depth += usize::from(!is_whole);
    }
    if depth != 0 {
        return Err(Malformed::Xml);
    }
    if table.files.is_empty() { Err(Malformed::Empty) } else { Ok(table) }
}

impl<'a> Table<'a> {
    fn read_attributes(&mut self, attributes: &'a str) -> Result<(), Malformed> {
        let mut expires_s = None;
        each(attributes, |name, value| {
            match name {
                "Expires" => expires_s = Some(parsed("Expires", &value)?),
                "Complete" => self.complete = matches!(&*value, "true" | "1"),
                _ => self.code.read(name, &value)?,
            }
            Ok(())
        })?;
        self.expires_s = expires_s.ok_or(Malformed::Attribute { name: "Expires" })?;
        Ok(())
    }
}

impl<'a> File<'a> {
    fn read(attributes: &'a str) -> Result<File<'a>, Malformed> {
        let mut file = File::default();
        let mut location = None;
        each(attributes, |name, value| {
            match name {
                "Content-Location" => location = Some(value),
                "TOI" => file.object = parsed("TOI", &value)?,
                "Content-Length" => file.content_bytes = Some(parsed("Content-Length", &value)?),
                "Transfer-Length" => file.transfer_bytes = Some(parsed("Transfer-Length", &value)?),
                "Content-Type" => file.content_type = Some(value),
                "Content-Encoding" => file.content_encoding = Some(value),
                "Content-MD5" => file.content_md5 = Some(value),
                _ => file.code.read(name, &value)?,
            }
            Ok(())
        })?;
        file.location = location.ok_or(Malformed::Attribute { name: "Content-Location" })?;
        if file.object == 0 { Err(Malformed::Attribute { name: "TOI" }) } else { Ok(file) }
    }
}

impl Code {
    const FEC_ID: &str = "FEC-OTI-FEC-Encoding-ID";
    const INSTANCE: &str = "FEC-OTI-FEC-Instance-ID";
    const BLOCK_LEN: &str = "FEC-OTI-Maximum-Source-Block-Length";
    const SYMBOL_BYTES: &str = "FEC-OTI-Encoding-Symbol-Length";
    const SYMBOLS: &str = "FEC-OTI-Max-Number-of-Encoding-Symbols";

    fn write(&self, out: &mut String) {
        number(out, Self::FEC_ID, self.fec_id.map(u64::from));
        number(out, Self::INSTANCE, self.instance);
        number(out, Self::BLOCK_LEN, self.block_len);
        number(out, Self::SYMBOL_BYTES, self.symbol_bytes);
        number(out, Self::SYMBOLS, self.symbols);
    }

    fn read(&mut self, name: &str, value: &str) -> Result<(), Malformed> {
        match name {
            Self::FEC_ID => self.fec_id = Some(parsed(Self::FEC_ID, value)?),
            Self::INSTANCE => self.instance = Some(parsed(Self::INSTANCE, value)?),
            Self::BLOCK_LEN => self.block_len = Some(parsed(Self::BLOCK_LEN, value)?),
            Self::SYMBOL_BYTES => self.symbol_bytes = Some(parsed(Self::SYMBOL_BYTES, value)?),
            Self::SYMBOLS => self.symbols = Some(parsed(Self::SYMBOLS, value)?),
            _ => {}
        }
        Ok(())
    }
}

fn number(out: &mut String, name: &str, value: Option<u64>) {
    if let Some(value) = value {
        attribute(out, name, &value.to_string());
    }
}

fn attribute(out: &mut String, name: &str, value: &str) {
    let _ = write!(out, " {name}=\"");
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '"' => out.push_str("&quot;"),
            // Other white space would be read as a space (XML 1.0, attribute-value normalization).
            '\t' | '\n' | '\r' => _ = write!(out, "&#{};", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn parsed<T: std::str::FromStr>(name: &'static str, value: &str) -> Result<T, Malformed> {
    value.trim().parse().map_err(|_| Malformed::Attribute { name })
}

/// A name without the prefix of its name space.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// What stands between the brackets at the front, and what follows them. A bracket in a value ends nothing.
fn tag(text: &str) -> Result<(&str, &str), Malformed> {
    let mut quote = None;
    for (at, c) in text.char_indices().skip(1) {
        match (quote, c) {
            (None, '>') => return Ok((&text[1..at], &text[at + 1..])),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    Err(Malformed::Xml)
}

/// Hands on each attribute with what its value says.
fn each<'a>(
    mut attributes: &'a str,
    mut take: impl FnMut(&str, Cow<'a, str>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    loop {
        attributes = attributes.trim_ascii_start();
        if attributes.is_empty() {
            return Ok(());
        }
        let (name, rest) = attributes.split_once('=').ok_or(Malformed::Xml)?;
        let rest = rest.trim_ascii_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or(Malformed::Xml)?;
        let (value, rest) = rest[1..].split_once(quote).ok_or(Malformed::Xml)?;
        take(name.trim_ascii_end(), said(value)?)?;
        attributes = rest;
    }
}

/// A value without its entities.
fn said(value: &str) -> Result<Cow<'_, str>, Malformed> {
    if !value.contains('&') {
        return Ok(Cow::Borrowed(value));
    }
    let mut out = String::with_capacity(value.len());
    let mut parts = value.split('&');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (entity, rest) = part.split_once(';').ok_or(Malformed::Xml)?;
        let code = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
        let c = match entity {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => match entity.strip_prefix('#') {
                Some(digits) => digits.strip_prefix('x').map_or_else(|| code(digits, 10), |digits| code(digits, 16)),
                None => None,
            },
        };
        out.push(c.ok_or(Malformed::Xml)?);
        out.push_str(rest);
    }
    Ok(Cow::Owned(out))
}
