-- CarPlay sessions in the clear: the fields, with names like those of `iap2 decode --json`.

local carplay = Proto("carplay", "Apple CarPlay session")

local cp = {
  layer = ProtoField.string("carplay.layer", "Layer"),
  session = ProtoField.uint32("carplay.session", "Session"),
  from = ProtoField.string("carplay.from", "From"),
  socket = ProtoField.string("carplay.socket", "Socket"),
  stream = ProtoField.string("carplay.stream", "Stream"),
  method = ProtoField.string("carplay.method", "Method"),
  path = ProtoField.string("carplay.path", "Path"),
  status = ProtoField.uint32("carplay.status_code", "Status"),
  cseq = ProtoField.string("carplay.cseq", "CSeq"),
  header = ProtoField.string("carplay.header", "Header"),
  procedure = ProtoField.string("carplay.procedure", "Procedure"),
  state = ProtoField.uint8("carplay.state", "State"),
  kind = ProtoField.string("carplay.kind", "Kind"),
  byte_count = ProtoField.uint32("carplay.byte_count", "Bytes"),
  key_frame = ProtoField.bool("carplay.is_key_frame", "Key frame"),
  flags = ProtoField.uint16("carplay.flags", "Flags", base.HEX),
  width = ProtoField.float("carplay.width", "Width"),
  height = ProtoField.float("carplay.height", "Height"),
  sequence = ProtoField.uint64("carplay.sequence", "Sequence number"),
  sample = ProtoField.uint32("carplay.sample", "Sample"),
  source = ProtoField.uint32("carplay.source", "Source", base.HEX),
  count = ProtoField.uint32("carplay.count", "Count"),
  reference = ProtoField.double("carplay.clock.reference", "Time of the question"),
  received = ProtoField.double("carplay.clock.received", "Time of its arrival"),
  sent = ProtoField.double("carplay.clock.sent", "Time of sending"),
  delay = ProtoField.double("carplay.clock_delay", "Time since the question"),
  reason = ProtoField.string("carplay.reason", "Reason"),
  sealed = ProtoField.bytes("carplay.sealed", "Sealed bytes"),
  payload = ProtoField.bytes("carplay.payload", "Payload"),
  -- A value of a body. Its line is "name = value", which filters can compare.
  body = ProtoField.string("carplay.body", "Body"),
  entry = ProtoField.string("carplay.body.entry", "Value"),
  key = ProtoField.string("carplay.body.key", "Name"),
  group = ProtoField.uint32("carplay.body.group", "Values with names"),
  list = ProtoField.uint32("carplay.body.list", "Values"),
  flag = ProtoField.bool("carplay.body.flag", "Flag"),
  integer = ProtoField.int64("carplay.body.integer", "Integer"),
  unsigned = ProtoField.uint64("carplay.body.unsigned", "Integer"),
  real = ProtoField.double("carplay.body.real", "Real"),
  text = ProtoField.string("carplay.body.text", "Text"),
  data = ProtoField.bytes("carplay.body.data", "Data"),
}

local cp_expert = ProtoExpert.new(
  "carplay.problem", "Something cannot be read", _G.expert.group.MALFORMED, _G.expert.severity.ERROR)

do
  local fields = {}
  for _, one in pairs(cp) do table.insert(fields, one) end
  carplay.fields = fields
  carplay.experts = { cp_expert }
end

-- Big-endian and little-endian numbers of a string, at an offset from 0. Numbers above 2^53 lose digits, which no size
-- needs.
local function cp_big(data, at, size)
  local number = 0
  for index = at + 1, at + size do number = number * 256 + data:byte(index) end
  return number
end

local function cp_little(data, at, size)
  local number = 0
  for index = at + size, at + 1, -1 do number = number * 256 + data:byte(index) end
  return number
end
