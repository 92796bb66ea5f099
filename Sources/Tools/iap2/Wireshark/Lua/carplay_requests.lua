-- Requests and answers of the control and event connections, and what follows from them.

local function cp_trimmed(text) return text:match("^[ \t]*(.-)[ \t]*$") end

-- Returns the words of a first line; nil for another line.
local function cp_first_line(line)
  local word, status, reason = line:match("^(RTSP/1%.0) (%d%d%d) ?(.*)$")
  if not word then word, status, reason = line:match("^(HTTP/1%.1) (%d%d%d) ?(.*)$") end
  if word then return { is_answer = true, status = tonumber(status), reason = reason } end
  local method, path, version = line:match("^([^ ]+) ([^ ]+) (.+)$")
  if version == "RTSP/1.0" or version == "HTTP/1.1" then return { method = method, path = path } end
end

local cp_bad_line = "the first line is neither that of a request nor that of an answer"

-- Reads the message at an offset. Returns it; or nil and the number of bytes that are missing (0 if that is unknown);
-- or nil, nil and the reason.
local function cp_read_message(data, at)
  local limit = math.min(#data, at + session_schema.header_limit)
  local head = data:find("\r\n\r\n", at + 1, true)
  if not head or head + 3 > limit then
    if #data - at >= session_schema.header_limit then return nil, nil, "the headers are too long" end
    local line = data:match("^([^\r\n]*)\r\n", at + 1)
    if line and not cp_first_line(line) then return nil, nil, cp_bad_line end
    return nil, 0
  end
  local text = data:sub(at + 1, head - 1)
  local line = text:match("^[^\r\n]*")
  local message = is_utf8(text) and cp_first_line(line)
  if not message then return nil, nil, cp_bad_line end
  message.at, message.headers, message.line_length = at, {}, #line
  local place, length = #line + 3, 0
  local known
  while place <= #text do
    local stop = text:find("\r\n", place, true) or #text + 1
    local header = text:sub(place, stop - 1)
    local name, value = header:match("^([^:]+):(.*)$")
    if not name or header:find("[\r\n]") then return nil, nil, "a header has no colon or a wrong line end" end
    value = cp_trimmed(value)
    local lower = name:lower()
    if lower == "content-length" then
      if not value:find("^%d+$") or #value > 15 then return nil, nil, "Content-Length is no number" end
      length = tonumber(value)
      if known and known ~= length then return nil, nil, "Content-Length is two different numbers" end
      known = length
      if length > session_schema.body_limit then return nil, nil, "the body is too long" end
    elseif lower == "cseq" then
      message.cseq = message.cseq or value
    else
      table.insert(message.headers, { at = at + place - 1, length = stop - place, text = name .. ": " .. value })
    end
    place = stop + 2
  end
  message.body_at, message.body_length = head + 3, length
  message.length = head + 3 + length - at
  if at + message.length > #data then return nil, at + message.length - #data end
  return message
end

-- Whether bytes begin a request of a session.
local cp_paths = {
  "/pair-setup", "/pair-verify", "/pair-pin-start", "/auth-setup", "/info", "/command", "/feedback", "/ctrl-int/",
}
local function cp_begins(data)
  local line = data:sub(1, 512):match("^([^\r\n]*)[\r\n]")
  local method, path, version = (line or ""):match("^([A-Z_]+) ([^ ]*) ([^ ]+)$")
  if version == "RTSP/1.0" then return true end
  if version ~= "HTTP/1.1" then return false end
  for _, known in ipairs(cp_paths) do if path:sub(1, #known) == known then return true end end
  return false
end

-- Reads the body of a message: its tree, or the reason why it has none.
local function cp_read_body(data, path)
  if path == "/pair-setup" or path == "/pair-verify" then
    local tree = cp_pairing(data)
    return tree and cp_entry(tree, "state") and tree or nil
  end
  if data:sub(1, 6) == "bplist" then return cp_property_list(data) end
  if path == "/auth-setup" then return nil end
  if is_utf8(data) and not data:find("[\0-\9\11\12\14-\31]") then
    return { kind = "text", at = 0, size = #data, value = data }
  end
end

-- The sessions, the connections by their number in Wireshark, and the ends that sessions have named.
local cp_sessions, cp_connections, cp_listeners, cp_receivers, cp_records, cp_packets = {}, {}, {}, {}, {}, {}

local function cp_end(address, port) return address .. " " .. port end

-- The address of a name of an end.
local function cp_address(place) return place:match("^(.*) %d+$") end

-- Follows the answer to a set-up: the ports of the sockets.
local function cp_set_up(session, request, answer)
  local asked, given = cp_property_list(request), cp_property_list(answer)
  if not asked or not given then return end
  local phone, head_unit = session.phone, session.head_unit
  local function listen(port, role) if port then cp_listeners[cp_end(head_unit, port)] = role end end
  local function receive(address, port, role) if port then cp_receivers[cp_end(address, port)] = role end end
  local streams = cp_entry(asked, "streams")
  if not streams then
    listen(cp_port(cp_entry(given, "eventPort")), { kind = "events", name = "events", session = session })
    local function part(kind, from) return { kind = kind, session = session, from = from } end
    receive(head_unit, cp_port(cp_entry(given, "timingPort")), part("clock", schema.device))
    local protocol = cp_entry(asked, "timingProtocol")
    if not protocol or protocol.value ~= "None" then
      receive(phone, cp_port(cp_entry(asked, "timingPort")), part("clock", schema.accessory))
    end
    receive(head_unit, cp_port(cp_entry(given, "keepAlivePort")), part("keep-alive", schema.device))
    return
  end
  local answers = cp_entry(given, "streams")
  if streams.kind ~= "list" or not answers or answers.kind ~= "list" then return end
  for index, stream in ipairs(streams.parts) do
    local reply = answers.parts[index]
    if not reply then return end
    local number = cp_number(cp_entry(stream, "type"))
    local known = number and session_schema.stream_types[string.format("%.0f", number)]
    local client = cp_entry(stream, "clientTypeUUID")
    local name = known and known.name or number and string.format("type %.0f", number) or "unnamed stream"
    local role = {
      session = session, name = name,
      family = known and known.family or "other", kind = "stream",
      is_iap = client and client.kind == "text" and client.value:upper() == session_schema.iap_client,
    }
    local data, control = cp_port(cp_entry(reply, "dataPort")), cp_port(cp_entry(reply, "controlPort"))
    if role.family ~= "audio" then
      listen(data, role)
    else
      local function part(kind, from) return { kind = kind, from = from, session = session, name = role.name } end
      receive(head_unit, data, part("sound", schema.device))
      receive(head_unit, control, part("sound control", schema.device))
      receive(phone, cp_port(cp_entry(stream, "controlPort")), part("sound control", schema.accessory))
      receive(phone, cp_port(cp_entry(stream, "dataPort")), part("sound", schema.accessory))
    end
  end
end

-- Finds the request of an answer, and follows what an answer states.
local function cp_follow(connection, message, data)
  local pending = connection.pending
  local body = data:sub(message.body_at + 1, message.body_at + message.body_length)
  if not message.is_answer then
    table.insert(pending, { cseq = message.cseq, method = message.method, path = message.path, body = body })
    if #pending > 256 then table.remove(pending, 1) end
    return
  end
  local place = 1
  for index, request in ipairs(pending) do
    if message.cseq and request.cseq == message.cseq then
      place = index
      break
    end
  end
  local request = table.remove(pending, place)
  if not request then return end
  message.method, message.path = request.method, request.path
  if message.status ~= 200 or connection.kind ~= "control" then return end
  if request.path == "/pair-verify" and request.method == "POST" then
    local tree = cp_pairing(body)
    local state = cp_number(cp_entry(tree, "state"))
    if state == 4 and not cp_entry(tree, "error") then connection.session.is_verified = true end
  elseif request.method == "SETUP" then
    cp_set_up(connection.session, request.body, body)
  end
end
