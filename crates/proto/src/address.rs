//! Who sends or receives, and for which flow.

/// Who sends or receives: a host and port together, as the address of a socket is, or a multicast group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Address(u32);

/// A flow or session, for accounting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct FlowId(pub u32);

impl Address {
    const GROUP: u32 = 1 << 31;

    /// The node at the other end of the link: a group that is no session's, for messages between neighbours.
    pub const NEIGHBOUR: Address = Address(u32::MAX);

    /// Somebody whom a message names and the driver has no address for: nobody that an endpoint knows, and not itself.
    pub const STRANGER: Address = Address(Self::GROUP - 1);

    /// The endpoint numbered `index` by the driver.
    pub const fn endpoint(index: u32) -> Address {
        debug_assert!(index & Self::GROUP == 0);
        Address(index)
    }

    /// The multicast group numbered `index`.
    pub const fn group(index: u32) -> Address {
        debug_assert!(index & Self::GROUP == 0);
        Address(index | Self::GROUP)
    }

    /// Whether this is a multicast group.
    pub const fn is_group(self) -> bool {
        self.0 & Self::GROUP != 0
    }

    /// All of it as a number, from which [`from_bits`](Self::from_bits) makes it again.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The address that had these bits.
    pub const fn from_bits(bits: u32) -> Address {
        Address(bits)
    }

    /// The endpoint's or group's number.
    pub const fn index(self) -> usize {
        (self.0 & !Self::GROUP) as usize
    }
}
