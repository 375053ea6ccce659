//! FLUTE's table of files: written and read again, read as others write it, and refused.

use faircast_codec::lct::fdt::{Code, File, Malformed, Table, read, write};

fn table() -> Table<'static> {
    let code = Code { fec_id: Some(0), block_len: Some(64), symbol_bytes: Some(1400), ..Code::default() };
    let odd = File {
        object: u128::from(u64::MAX) + 2,
        location: "file:///a \"b\" <c> & 'd'\n\u{e9}".into(),
        content_bytes: Some(u64::MAX),
        transfer_bytes: Some(7),
        content_type: Some("text/plain".into()),
        content_encoding: Some("gzip".into()),
        content_md5: Some("1B2M2Y8AsgTpgAmY7PhCfg==".into()),
        code: Code { instance: Some(3), symbols: Some(80), fec_id: Some(129), ..code.clone() },
    };
    let plain = File { object: 1, location: "file:///x".into(), ..File::default() };
    Table { expires_s: 149_504, complete: true, code, files: vec![plain, odd] }
}

fn text(table: &Table<'_>) -> String {
    let mut out = String::new();
    write(table, &mut out);
    out
}

#[test]
fn what_is_written_is_read() {
    let table = table();
    let text = text(&table);
    assert_eq!(read(&text), Ok(table));
    let expected = concat!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        "<FDT-Instance xmlns=\"urn:ietf:params:xml:ns:fdt\" Expires=\"149504\" Complete=\"true\"",
        " FEC-OTI-FEC-Encoding-ID=\"0\" FEC-OTI-Maximum-Source-Block-Length=\"64\"",
        " FEC-OTI-Encoding-Symbol-Length=\"1400\">\n",
        "  <File Content-Location=\"file:///x\" TOI=\"1\"/>\n",
    );
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn others_write_it_in_other_words() {
    let document = "\u{feff}<?xml version='1.0'?><!-- <File/> -->\n\
        <f:FDT-Instance xmlns:f='urn:ietf:params:xml:ns:fdt' Expires = ' 7 ' Complete='1' x:FullFDT=\"1\">\n\
        <x:Group><File TOI='x'/></x:Group><f:File TOI='2' Content-Location='a>b&#x26;&#38;&apos;'>\n\
        <x:Cache-Control><x:Expires>9</x:Expires></x:Cache-Control></f:File></f:FDT-Instance>";
    let file = File { object: 2, location: "a>b&&'".into(), ..File::default() };
    let expected = Table { expires_s: 7, complete: true, code: Code::default(), files: vec![file] };
    assert_eq!(read(document), Ok(expected));
}

#[test]
fn order_and_lines_within_elements_say_nothing() {
    let document = "<FDT-Instance\n\tComplete='true'\r\nExpires='7'><![CDATA[<File/>]]>&amp;&unknown;<?File?>\n\
        <File\nContent-Type='a\nb\tc'\nFEC-OTI-FEC-Encoding-ID='5'\nContent-Location='x' TOI='3'>\
        </File></FDT-Instance>\n";
    let code = Code { fec_id: Some(5), ..Code::default() };
    let file = File { object: 3, location: "x".into(), content_type: Some("a b c".into()), code, ..File::default() };
    let expected = Table { expires_s: 7, complete: true, code: Code::default(), files: vec![file] };
    assert_eq!(read(document), Ok(expected));
}

#[test]
fn elements_may_be_as_deep_as_a_document_is_long() {
    let (open, close) = ("<a>".repeat(100_000), "</a>".repeat(100_000));
    let file = "<File TOI='1' Content-Location='a'/>";
    let deep = |inner: &str| format!("<FDT-Instance Expires='1'>{open}{inner}{close}{file}</FDT-Instance>");
    assert_eq!(read(&deep(file)).map(|table| table.files.len()), Ok(1));
    assert_eq!(read(&deep("</b>")), Err(Malformed::Xml));
}

#[test]
fn what_is_no_table_is_refused() {
    let file = "<File TOI='1' Content-Location='a'/>";
    let attribute = |name| Malformed::Attribute { name };
    for (document, why) in [
        (String::new(), Malformed::Empty),
        ("<FDT-Instance Expires='1'/>".to_owned(), Malformed::Empty),
        (format!("<Other Expires='1'>{file}</Other>"), Malformed::Empty),
        (format!("<FDT-Instance Expires='1'>{file}"), Malformed::Xml),
        (format!("<FDT-Instance Expires='1'>{file}</FDT-Instance></x>"), Malformed::Xml),
        (format!("<!DOCTYPE x [<!ENTITY a 'b'>]><FDT-Instance Expires='1'>{file}</FDT-Instance>"), Malformed::Xml),
        (format!("<FDT-Instance Expires='1'>{file}</Other>"), Malformed::Xml),
        (format!("<FDT-Instance Expires='1' Expires='2'>{file}</FDT-Instance>"), Malformed::Xml),
        (format!("<FDT-Instance Expires='1'>{file}<!-- </FDT-Instance>"), Malformed::Xml),
        (format!("<FDT-Instance>{file}</FDT-Instance>"), attribute("Expires")),
        (format!("<FDT-Instance Expires='4294967296'>{file}</FDT-Instance>"), attribute("Expires")),
        ("<FDT-Instance Expires='1'><File TOI='0' Content-Location='a'/></FDT-Instance>".into(), attribute("TOI")),
        ("<FDT-Instance Expires='1'><File TOI='1'/></FDT-Instance>".into(), attribute("Content-Location")),
        ("<FDT-Instance Expires='1'><File TOI=1/></FDT-Instance>".into(), Malformed::Xml),
        ("<FDT-Instance Expires='1'><File TOI='1' Content-Location='&b;'/></FDT-Instance>".into(), Malformed::Xml),
        ("<FDT-Instance Expires='1'><File TOI='1' Content-Location='&#xd800;'/></FDT-Instance>".into(), Malformed::Xml),
    ] {
        assert_eq!(read(&document), Err(why), "{document}");
    }
}

#[test]
fn whatever_is_cut_or_changed_is_refused_or_read() {
    let whole = text(&table());
    for (at, _) in whole.char_indices() {
        assert!(at + 1 >= whole.len() || read(&whole[..at]).is_err(), "{at}");
    }
    for (at, c) in whole.char_indices() {
        for other in ["", "<", ">", "\"", "'", "&", ";", "/", "=", " ", "9", "\u{1f600}", "<!--", "<?"] {
            let changed = [&whole[..at], other, &whole[at + c.len_utf8()..]].concat();
            if let Ok(table) = read(&changed) {
                assert_eq!(read(&text(&table)), Ok(table), "{changed}");
            }
        }
    }
}
