//! FLUTE's table of files (FDT Instance), which travels as object 0: a document of XML (RFC 6726 section 3.4.2),
//! written and read here as far as its schema goes. Sections without a number of an RFC are of RFC 6726.
//!
//! XML is read by `quick-xml`. It is looked after, MIT, brings nothing but `memchr`, and keeps of a document no more
//! than the names of elements that are open. Documents that declare their type, by which they could have entities of
//! their own, are refused. What is not of the schema is passed over.

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
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

/// Reads a table.
///
/// # Errors
/// If it is none.
pub fn read(document: &str) -> Result<Table<'static>, Malformed> {
    let mut reader = Reader::from_str(document.trim_start_matches('\u{feff}'));
    let mut table = Table::default();
    let (mut has_begun, mut depth) = (false, 0_usize);
    loop {
        let event = reader.read_event().map_err(|_| Malformed::Xml)?;
        match &event {
            Event::Start(element) | Event::Empty(element) => {
                match (depth, element.local_name().into_inner()) {
                    (0, ROOT) if !has_begun => {
                        table.read_attributes(element)?;
                        has_begun = true;
                    }
                    (0, _) => return Err(Malformed::Empty),
                    (1, FILE) => table.files.push(File::read(element)?),
                    _ => {}
                }
                depth += usize::from(matches!(event, Event::Start(_)));
            }
            // That there is a beginning for each end the reader sees to.
            Event::End(_) => depth -= 1,
            Event::DocType(_) => return Err(Malformed::Xml),
            Event::Eof if depth > 0 => return Err(Malformed::Xml),
            Event::Eof if table.files.is_empty() => return Err(Malformed::Empty),
            Event::Eof => return Ok(table),
            _ => {}
        }
    }
}

impl Table<'_> {
    fn read_attributes(&mut self, element: &BytesStart<'_>) -> Result<(), Malformed> {
        let mut expires_s = None;
        each(element, |name, value| {
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

impl File<'_> {
    fn read(element: &BytesStart<'_>) -> Result<File<'static>, Malformed> {
        let mut file = File::default();
        let mut location = None;
        let owned = |value: Cow<'_, str>| Some(Cow::Owned(value.into_owned()));
        each(element, |name, value| {
            match name {
                "Content-Location" => location = owned(value),
                "TOI" => file.object = parsed("TOI", &value)?,
                "Content-Length" => file.content_bytes = Some(parsed("Content-Length", &value)?),
                "Transfer-Length" => file.transfer_bytes = Some(parsed("Transfer-Length", &value)?),
                "Content-Type" => file.content_type = owned(value),
                "Content-Encoding" => file.content_encoding = owned(value),
                "Content-MD5" => file.content_md5 = owned(value),
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

/// Hands on each attribute with what its value says.
fn each(
    element: &BytesStart<'_>,
    mut take: impl FnMut(&str, Cow<'_, str>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|_| Malformed::Xml)?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|_| Malformed::Xml)?;
        take(attribute.key.into_inner(), value)?;
    }
    Ok(())
}
