//! What a message says, declared once: from one list of fields come the struct or variant, its
//! [`Layout`] and so its size, its bytes, its [`Digest`] and its line in listings.
//!
//! `message!` declares a struct, `header!` the messages of a protocol. Behind each field stand its fields on the wire
//! in their order, `["sequence": 32]`, or
//!
//! | behind `=>` | the field |
//! |---|---|
//! | `[]` | a bit of the flags, or part of what says which message it is |
//! | `["receiver": 64, "stamp": 32]` | several fields on the wire |
//! | `first` | a message that this one repeats before what it adds |
//! | `[..] undigested` | one that begins anywhere, as time stamps do: traces leave it out |
//! | `[..] infinite` | a number that may be infinite; all others are finite on the wire |
//! | `[..] absent` | a number that may be none |
//!
//! What is on the wire and in no field, such as the flags themselves and constants, stands in brackets before the
//! fields. Bits of the flags come in the order of their fields, from the highest down. Messages of standards are
//! written and read elsewhere. Digests are of the fields in their order, unless `digest` says of which order: that of
//! traces that are known already.

use super::Layout;
use super::coding::{FieldError, Reader, Writer};
use crate::address::Address;
use crate::digest::Digest;
use crate::ecn::Ecn;
use std::fmt;

/// What `message!` and `header!` give.
pub trait Message: fmt::Display {
    /// What it is on the wire.
    fn layout(&self) -> &'static Layout;

    /// Mixes all that it says into a digest, but what begins anywhere.
    fn mix(&self, digest: Digest) -> Digest;

    /// Writes its fields, without what stands before them on the wire.
    fn encode_fields(&self, writer: &mut Writer<'_>);

    /// Reads the fields of the message with this number; `None` if that is another protocol's.
    fn decode_fields(kind: u8, reader: &mut Reader<'_, '_>) -> Option<Result<Self, FieldError>>
    where
        Self: Sized;
}

/// What is in a listing.
pub trait Listed {
    /// Writes what it is, with a space before it; nothing if it says nothing.
    ///
    /// # Errors
    /// Those of the formatter.
    fn list(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// Declares a message: a struct whose fields say what they are on the wire.
macro_rules! message {
    (
        $(#[$meta:meta])*
        pub struct $Name:ident is $LAYOUT:ident = $name:literal, Format::$format:ident $(($kind:literal))?,
        [$($before:tt : $bits:literal),*] {
            $($(#[$field_meta:meta])* pub $field:ident : $type:ty => $wire:tt $($mark:ident)?),* $(,)?
        }
        $(digest $how:tt)?
    ) => {
        $(#[$meta])*
        pub struct $Name {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        #[doc = concat!("\"", $name, "\" on the wire.")]
        pub const $LAYOUT: $crate::wire::Layout = $Name::LAYOUT;

        impl $Name {
            /// What it is on the wire.
            pub const LAYOUT: $crate::wire::Layout = $crate::wire::message::layout!(
                $name, $format $(($kind))?, [$($before: $bits),*] $($type => $wire),*
            );

            /// Writes its fields, each with its name.
            fn list_fields(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $Name { $($field),* } = self;
                $($crate::wire::message::Listed::list($field, stringify!($field), f)?;)*
                Ok(())
            }
        }

        impl $crate::wire::message::Message for $Name {
            fn layout(&self) -> &'static $crate::wire::Layout {
                &Self::LAYOUT
            }

            fn mix(&self, digest: $crate::digest::Digest) -> $crate::digest::Digest {
                let &$Name { $($field),* } = self;
                $crate::wire::message::mix!([$($how)?] digest; $($field $($mark)?),*)
            }

            fn encode_fields(&self, writer: &mut $crate::wire::coding::Writer<'_>) {
                $crate::wire::coding::Coded::encode(self, writer);
            }

            fn decode_fields(
                kind: u8,
                reader: &mut $crate::wire::coding::Reader<'_, '_>,
            ) -> Option<Result<Self, $crate::wire::coding::FieldError>> {
                Self::LAYOUT.format.is(kind).then(|| $crate::wire::coding::Coded::decode(reader))
            }
        }

        impl $crate::wire::coding::Coded for $Name {
            const BYTES: u16 = $crate::wire::bytes_of_parts(Self::LAYOUT.first)
                + $crate::wire::bytes_of_parts(Self::LAYOUT.parts);

            fn encode(&self, writer: &mut $crate::wire::coding::Writer<'_>) {
                let &$Name { $($field),* } = self;
                $crate::wire::code::encode!($format writer [$($before)*] $($field: $type => $wire [$($mark)?]),*);
            }

            fn decode(
                reader: &mut $crate::wire::coding::Reader<'_, '_>,
            ) -> Result<Self, $crate::wire::coding::FieldError> {
                $crate::wire::code::decode!($format reader [$Name] [$($before)*] $($field: $type => [$($mark)?]),*)
            }
        }

        impl $crate::wire::message::Listed for $Name {
            fn list(&self, _: &str, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.list_fields(f)
            }
        }

        impl $crate::digest::Digestible for $Name {
            fn put(self, digest: &mut $crate::digest::Digest) {
                *digest = $crate::wire::message::Message::mix(&self, *digest);
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($name)?;
                self.list_fields(f)
            }
        }
    };
}

/// Declares the header of a protocol: its messages, each with the number by which digests tell it from the others, and
/// either a [`Message`] or its own fields and what it is on the wire. One that is on the wire as others are, or has
/// more there than is said here, names a layout that stands elsewhere.
macro_rules! header {
    (
        $(#[$meta:meta])*
        pub enum $Header:ident {
            $(
                $(#[$message_meta:meta])*
                $tag:literal : $Message:ident
                $(($inner:ident : $Inner:ty))?
                $({ $($(#[$field_meta:meta])* $field:ident : $type:ty => $wire:tt $($mark:ident)?),* $(,)? })?
                $(is $LAYOUT:ident
                    $(= $name:literal, Format::$format:ident $(($kind:literal))?, [$($before:tt : $bits:literal),*])?
                    $(as $title:literal)?
                )?
            );* $(;)?
        }
    ) => {
        $(#[$meta])*
        pub enum $Header {
            $($(#[$message_meta])* $Message $(($Inner))? $({ $($(#[$field_meta])* $field: $type),* })?,)*
        }

        $($crate::wire::message::define!(
            [$($LAYOUT $(= $name, $format $(($kind))?, [$($before: $bits),*])?)?] $($($type => $wire),*)?
        );)*

        impl $crate::wire::message::Message for $Header {
            fn layout(&self) -> &'static $crate::wire::Layout {
                match self {
                    $($Header::$Message { .. } => { $(&<$Inner>::LAYOUT)? $(&$LAYOUT)? })*
                }
            }

            fn mix(&self, digest: $crate::digest::Digest) -> $crate::digest::Digest {
                match *self {
                    $($Header::$Message $(($inner))? $({ $($field),* })? => {
                        let digest = digest.with($tag as u8);
                        $(let digest = digest.with($inner);)?
                        $(let digest = $crate::wire::message::mix!([] digest; $($field $($mark)?),*);)?
                        digest
                    })*
                }
            }

            fn encode_fields(&self, writer: &mut $crate::wire::coding::Writer<'_>) {
                match *self {
                    $($Header::$Message $(($inner))? $({ $($field),* })? => $crate::wire::code::encode_message!(
                        writer [$($inner)?] [$($($format [$($before)*])?)?] $($($field: $type => $wire [$($mark)?]),*)?
                    ),)*
                }
            }

            fn decode_fields(
                kind: u8,
                reader: &mut $crate::wire::coding::Reader<'_, '_>,
            ) -> Option<Result<Self, $crate::wire::coding::FieldError>> {
                $($crate::wire::code::decode_message!(
                    kind reader [$Header::$Message] [$($Inner)?] [$($LAYOUT $($format [$($before)*])?)?]
                    $($($field: $type => [$($mark)?]),*)?
                );)*
                let _ = reader;
                None
            }
        }

        impl std::fmt::Display for $Header {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($Header::$Message $(($inner))? $({ $($field),* })? => $crate::wire::message::show!(
                        self, f, [$($inner)?] [$($($title)?)?] $($($field),*)?
                    ),)*
                }
            }
        }
    };
}

/// The constant of a layout, if it is one of these fields and not declared elsewhere.
macro_rules! define {
    ([$LAYOUT:ident = $name:expr, $format:ident $(($kind:literal))?, $before:tt] $($fields:tt)*) => {
        #[doc = concat!("\"", $name, "\" on the wire.")]
        pub const $LAYOUT: $crate::wire::Layout =
            $crate::wire::message::layout!($name, $format $(($kind))?, $before $($fields)*);
    };
    ([$($LAYOUT:ident)?] $($fields:tt)*) => {};
}

/// The layout of these fields.
macro_rules! layout {
    ($name:expr, $format:ident $(($kind:literal))?, [$($before:tt : $bits:literal),*] $($type:ty => $wire:tt),*) => {{
        let layout = $crate::wire::Layout::new(
            $name,
            $crate::wire::Format::$format $(($kind))?,
            &[&[$($crate::wire::Field::new($before, $bits)),*], $($crate::wire::code::fields!($wire)),*],
        );
        $(let layout = $crate::wire::message::built_on!(layout, $type, $wire);)*
        layout
    }};
}

/// The layout behind that of a message which is repeated.
macro_rules! built_on {
    ($layout:ident, $type:ty, first) => {
        $layout.building_on(&<$type>::LAYOUT)
    };
    ($layout:ident, $type:ty, $fields:tt) => {
        $layout
    };
}

/// Mixes fields into a digest, in their order or as `digest` says: those named in brackets, in that order; as `whole`,
/// which is one number for the message that repeats this one; or `(whole [..])`.
macro_rules! mix {
    ([] $digest:ident; $($field:ident $($mark:ident)?),*) => {{
        $(let $digest = $crate::wire::message::mix!(one $digest, $field $($mark)?);)*
        $digest
    }};
    ([whole] $digest:ident; $($fields:tt)*) => {{
        let whole = $crate::digest::Digest::new();
        $digest.with($crate::wire::message::mix!([] whole; $($fields)*).value())
    }};
    ([(whole $order:tt)] $digest:ident; $($fields:tt)*) => {{
        let whole = $crate::digest::Digest::new();
        $digest.with($crate::wire::message::mix!([$order] whole; $($fields)*).value())
    }};
    // A field that is in neither is an unused variable.
    ([[$($ordered:ident),*]] $digest:ident; $($field:ident $($mark:ident)?),*) => {{
        $($crate::wire::message::mix!(unless $field $($mark)?);)*
        $digest$(.with($ordered))*
    }};
    (one $digest:ident, $field:ident undigested) => {{
        let _ = $field;
        $digest
    }};
    (one $digest:ident, $field:ident $($mark:ident)?) => {
        $digest.with($field)
    };
    (unless $field:ident undigested) => {
        let _ = $field;
    };
    (unless $field:ident $($mark:ident)?) => {};
}

/// A line of a listing.
macro_rules! show {
    ($header:ident, $f:ident, [$inner:ident] []) => {
        std::fmt::Display::fmt($inner, $f)
    };
    ($header:ident, $f:ident, [] [$($title:literal)?] $($field:ident),*) => {{
        let name = $crate::wire::message::Message::layout($header).name;
        $(let name = { let _ = name; $title };)?
        $f.write_str(name)?;
        $($crate::wire::message::Listed::list($field, stringify!($field), $f)?;)*
        Ok(())
    }};
}

pub(crate) use {built_on, define, header, layout, message, mix, show};

macro_rules! numbers {
    ($($number:ty)+) => {
        $(impl Listed for $number {
            fn list(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, " {name} {self}")
            }
        })+
    };
}

numbers!(u8 u16 u32 u64 f32);

/// A flag is there or not.
impl Listed for bool {
    fn list(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self { write!(f, " {name}") } else { Ok(()) }
    }
}

impl Listed for Address {
    fn list(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {name} {}{}", if self.is_group() { "group " } else { "" }, self.index())
    }
}

impl Listed for Ecn {
    fn list(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Ecn::NotCapable { Ok(()) } else { write!(f, " {name} {self:?}") }
    }
}

impl<T: Listed> Listed for Option<T> {
    fn list(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().map_or(Ok(()), |value| value.list(name, f))
    }
}

impl<T: Listed, const N: usize> Listed for [T; N] {
    fn list(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|value| value.list(name, f))
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
