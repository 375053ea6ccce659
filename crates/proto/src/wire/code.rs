//! What the declarations of [`message`](super::message) say of bytes: macros from fields to calls of
//! [`coding`](super::coding). A message in the project's own format is `Own` in them; all others are in the format of a
//! standard, and only refused here.

/// What a field adds to its message on the wire.
macro_rules! fields {
    (first) => {
        &[]
    };
    ([$($name:literal : $bits:literal),*]) => {
        &[$($crate::wire::Field::new($name, $bits)),*]
    };
}

/// Writes fields in their order, behind what is in no field.
macro_rules! encode {
    (Own $writer:ident [$($before:tt)*] $($field:ident : $type:ty => $wire:tt $mark:tt),*) => {
        $($crate::wire::code::before!($writer $before);)*
        $(
            $writer.field(stringify!($field));
            $crate::wire::code::width!($type, $wire);
            $crate::wire::code::encode_field!($writer $field $mark);
        )*
    };
    ($format:ident $writer:ident $before:tt $($field:ident : $type:ty => $wire:tt $mark:tt),*) => {
        $(let _ = $field;)*
        $writer.refuse($crate::wire::coding::FieldError::Foreign);
    };
}

/// Reads fields in their order and makes a message of them.
macro_rules! decode {
    (Own $reader:ident [$($Name:tt)*] [$($before:tt)*] $($field:ident : $type:ty => $mark:tt),*) => {{
        $($crate::wire::code::before!($reader $before)?;)*
        $(
            $reader.field(stringify!($field));
            let $field = $crate::wire::code::decode_field!($reader $type, $mark)?;
        )*
        Ok($($Name)* { $($field),* })
    }};
    ($format:ident $reader:ident $($rest:tt)*) => {{
        let _ = $reader;
        Err($crate::wire::coding::FieldError::Foreign)
    }};
}

/// Writes one message of a header: one that is declared apart, or its fields, or none that is declared here.
macro_rules! encode_message {
    ($writer:ident [$inner:ident] []) => {
        $crate::wire::coding::Coded::encode(&$inner, $writer)
    };
    ($writer:ident [] [$format:ident $before:tt] $($fields:tt)*) => {{
        $crate::wire::code::encode!($format $writer $before $($fields)*);
    }};
    ($writer:ident [] [] $($fields:tt)*) => {{
        $crate::wire::code::encode!(Standard $writer [] $($fields)*);
    }};
}

/// Returns one message of a header if it has the number.
macro_rules! decode_message {
    ($kind:ident $reader:ident [$($Message:tt)*] [$Inner:ty] []) => {
        if <$Inner>::LAYOUT.format.is($kind) {
            return Some(<$Inner as $crate::wire::coding::Coded>::decode($reader).map($($Message)*));
        }
    };
    ($kind:ident $reader:ident $Message:tt [] [$LAYOUT:ident $format:ident $before:tt] $($fields:tt)*) => {
        if $LAYOUT.format.is($kind) {
            // A block that can fail.
            let mut message = || $crate::wire::code::decode!($format $reader $Message $before $($fields)*);
            return Some(message());
        }
    };
    ($kind:ident $reader:ident $Message:tt [] [$LAYOUT:ident] $($fields:tt)*) => {
        let _ = $kind;
    };
}

/// What is in no field: the byte of flags.
macro_rules! before {
    ($bytes:ident "flags") => {
        $bytes.flags()
    };
}

/// Writes a field by its mark.
macro_rules! encode_field {
    ($writer:ident $field:ident [infinite]) => {
        $writer.number_or_infinity($field)
    };
    ($writer:ident $field:ident [absent]) => {
        $writer.number_or_none($field)
    };
    ($writer:ident $field:ident [$(undigested)?]) => {
        $crate::wire::coding::Coded::encode(&$field, $writer)
    };
}

/// Reads a field by its mark.
macro_rules! decode_field {
    ($reader:ident $type:ty, [infinite]) => {
        $reader.number_or_infinity()
    };
    ($reader:ident $type:ty, [absent]) => {
        $reader.number_or_none()
    };
    ($reader:ident $type:ty, [$(undigested)?]) => {
        <$type as $crate::wire::coding::Coded>::decode($reader)
    };
}

/// Does not compile if a field takes other bytes than its layout says.
macro_rules! width {
    ($type:ty, first) => {};
    ($type:ty, $wire:tt) => {
        const {
            let bits = $crate::wire::bits_of($crate::wire::code::fields!($wire));
            assert!(bits == 8 * <$type as $crate::wire::coding::Coded>::BYTES, "a field is as wide as it says");
        }
    };
}

pub(crate) use {before, decode, decode_field, decode_message, encode, encode_field, encode_message, fields, width};
