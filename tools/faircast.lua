-- The project's own format on the wire (docs/wire-format.md), for Wireshark and tshark:
--
--     tshark -X lua_script:tools/faircast.lua -d udp.port==5000,faircast -r FILE.pcap
--
-- Each number is a field to filter by, such as faircast.loss_event_rate. The table of messages is made from what the
-- crates declare: `FAIRCAST_WRITE_DISSECTOR=1 cargo test -p faircast-codec --test dissectors` renews it.

-- By kind a message's name and its fields: name, bytes, and what it is: "n" a number, "f" a floating-point number, "i"
-- an id, "b" bits.
-- begin of the table
local MESSAGES = {
    [1] = { name = "Datagram", fields = {
        { "sequence", 8, "n" },
    } },
    [2] = { name = "Membership: report", fields = {
        { "session", 8, "i" },
        { "number", 4, "n" },
        { "groups", 16, "b" },
    } },
    [3] = { name = "Membership: acknowledgement", fields = {
        { "session", 8, "i" },
        { "number", 4, "n" },
        { "groups", 16, "b" },
    } },
    [16] = { name = "Layers: data", fields = {
        { "layer", 1, "n" },
        { "sequence", 4, "n" },
    } },
    [17] = { name = "Layers: level", fields = {
        { "level", 1, "n" },
        { "sequence", 4, "n" },
    } },
    [32] = { name = "TFMCC: data", fields = {
        { "flags", 1, "n" },
        { "round", 1, "n" },
        { "sequence", 4, "n" },
        { "suppression", 4, "f" },
        { "rate", 4, "f" },
        { "max_rtt", 4, "n" },
        { "echo receiver", 8, "i" },
        { "echo stamp", 4, "n" },
    } },
    [33] = { name = "TFMCC: report", fields = {
        { "flags", 1, "n" },
        { "round", 1, "n" },
        { "echoed stamp", 4, "n" },
        { "rate", 4, "f" },
        { "rtt", 4, "f" },
        { "loss_event_rate", 4, "f" },
        { "receive", 4, "f" },
        { "scale", 4, "f" },
    } },
    [48] = { name = "OMCC: data", fields = {
        { "flags", 1, "n" },
        { "round", 1, "n" },
        { "sequence", 4, "n" },
        { "suppression", 4, "f" },
        { "rate", 4, "f" },
        { "max_rtt", 4, "n" },
        { "echo receiver", 8, "i" },
        { "echo stamp", 4, "n" },
        { "equation scale", 4, "f" },
        { "receivers", 4, "f" },
    } },
    [49] = { name = "OMCC: report", fields = {
        { "flags", 1, "n" },
        { "round", 1, "n" },
        { "echoed stamp", 4, "n" },
        { "rate", 4, "f" },
        { "rtt", 4, "f" },
        { "loss_event_rate", 4, "f" },
        { "receive", 4, "f" },
        { "scale", 4, "f" },
        { "draw", 4, "f" },
    } },
    [50] = { name = "OMCC: registration", fields = {
        { "flags", 1, "n" },
    } },
    [64] = { name = "SMCC: data", fields = {
        { "flags", 1, "n" },
        { "round", 1, "n" },
        { "sequence", 4, "n" },
        { "suppression", 4, "f" },
        { "rate", 4, "f" },
        { "max_rtt", 4, "n" },
        { "echo receiver", 8, "i" },
        { "echo stamp", 4, "n" },
        { "next rate", 4, "f" },
        { "tick", 4, "n" },
    } },
    [65] = { name = "SMCC: counting", fields = {
        { "sequence", 4, "n" },
        { "tick", 4, "n" },
    } },
    [66] = { name = "SMCC: report", fields = {
        { "flags", 1, "n" },
        { "round", 1, "n" },
        { "echoed stamp", 4, "n" },
        { "rate", 4, "f" },
        { "rtt", 4, "f" },
        { "loss_event_rate", 4, "f" },
        { "receive", 4, "f" },
        { "scale", 4, "f" },
        { "layer", 1, "n" },
    } },
    [67] = { name = "SMCC: ACK", fields = {
        { "layer", 1, "n" },
        { "echoed stamp", 4, "n" },
        { "highest", 4, "n" },
        { "bitmap", 4, "n" },
    } },
    [80] = { name = "pgmcc: data", fields = {
        { "sequence", 4, "n" },
        { "acker", 8, "i" },
    } },
    [81] = { name = "pgmcc: ACK", fields = {
        { "flags", 1, "n" },
        { "echoed stamp", 4, "n" },
        { "loss_rate", 4, "f" },
        { "highest", 4, "n" },
        { "bitmap", 4, "n" },
    } },
    [82] = { name = "pgmcc: NAK", fields = {
        { "flags", 1, "n" },
        { "echoed stamp", 4, "n" },
        { "loss_rate", 4, "f" },
        { "highest", 4, "n" },
        { "missing", 4, "n" },
    } },
    [83] = { name = "pgmcc: NCF", fields = {
        { "missing", 4, "n" },
    } },
    [128] = { name = "Guest", fields = {
        { "owner", 4, "n" },
    } },
}
-- end of the table

local VERSION = 1
-- Messages between neighbours have neither a sender nor a stamp.
local BETWEEN_NEIGHBOURS = { [2] = true, [3] = true }
-- The kinds of guests are 128 and more: 64 with data, the lower bits how long their fields are.
local GUEST, GUEST_DATA = 128, 64

local faircast = Proto("faircast", "faircast")
local fields = {}

local function declare(name, what)
    local key = name:gsub(" ", "_")
    if fields[key] then
        return
    end
    local long = "faircast." .. key
    if what == "f" then
        fields[key] = ProtoField.float(long, name)
    elseif what == "i" then
        fields[key] = ProtoField.uint64(long, name, base.HEX)
    elseif what == "b" then
        fields[key] = ProtoField.bytes(long, name)
    else
        fields[key] = ProtoField.uint64(long, name)
    end
end

declare("version", "n")
declare("kind", "n")
declare("sender", "i")
declare("stamp", "n")
declare("guest fields", "b")
declare("payload", "b")
for _, message in pairs(MESSAGES) do
    for _, field in ipairs(message.fields) do
        declare(field[1], field[3])
    end
end

local listed = {}
for _, field in pairs(fields) do
    listed[#listed + 1] = field
end
faircast.fields = listed
local unknown = ProtoExpert.new("faircast.unknown", "no message of this version and kind", expert.group.UNDECODED,
    expert.severity.WARN)
faircast.experts = { unknown }

function faircast.dissector(buffer, packet, root)
    local at = 0
    local tree = root:add(faircast, buffer())
    local function take(name, bytes)
        tree:add(fields[name:gsub(" ", "_")], buffer(at, bytes))
        at = at + bytes
    end
    packet.cols.protocol = "faircast"
    take("version", 1)
    take("kind", 1)
    local version, kind = buffer(0, 1):uint(), buffer(1, 1):uint()
    local message = MESSAGES[kind >= GUEST and GUEST or kind]
    if version ~= VERSION or message == nil then
        tree:add_proto_expert_info(unknown)
        packet.cols.info = string.format("version %d, kind %d", version, kind)
        return
    end
    packet.cols.info = message.name
    tree:append_text(", " .. message.name)
    if not BETWEEN_NEIGHBOURS[kind] then
        take("sender", 8)
        take("stamp", 4)
    end
    for _, field in ipairs(message.fields) do
        take(field[1], field[2])
    end
    local length = kind >= GUEST and kind % GUEST_DATA or 0
    if length > 0 then
        take("guest fields", length)
    end
    if at < buffer:len() then
        take("payload", buffer:len() - at)
    end
end

DissectorTable.get("udp.port"):add_for_decode_as(faircast)
