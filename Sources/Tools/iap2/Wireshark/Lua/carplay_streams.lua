-- The bytes of a connection as items: messages, pictures, packets of sound, packages of data, and what cannot be read.
-- Each piece is read once, in order, and its items are kept, because Wireshark dissects again in any order.

-- Counts frames whose key is not known. The length of a frame is not encrypted.
local function cp_count_frames(direction, data, at)
  local count, bytes = 0, 0
  while at < #data do
    if (direction.missing or 0) == 0 then
      direction.length = (direction.length or "") .. data:sub(at + 1, at + 1)
      at = at + 1
      if #direction.length == 2 then
        local size = cp_little(direction.length, 0, 2)
        direction.length, direction.missing, bytes = "", size + session_schema.tag_length, bytes + size
      end
    else
      local taken = math.min(direction.missing, #data - at)
      direction.missing, at = direction.missing - taken, at + taken
      if direction.missing == 0 then count = count + 1 end
    end
  end
  return count, bytes
end

-- Whether bytes may be the beginning of a first line. The beginning of a frame almost never is.
local function cp_may_begin(data, at) return data:sub(at + 1, at + 4):find("^[A-Z_/ ]+$") ~= nil end

local function cp_next_message(connection, direction, data, at)
  if connection.session.is_verified and not direction.is_sealed and not cp_may_begin(data, at) then
    direction.is_sealed = true
    connection.session.is_sealed = true
  end
  if direction.is_sealed then
    local count, bytes = cp_count_frames(direction, data, at)
    return { what = "frames", at = at, length = #data - at, count = count, bytes = bytes }
  end
  local message, missing, reason = cp_read_message(data, at)
  if not message then return nil, missing, reason end
  message.what = "message"
  cp_follow(connection, message, data)
  return message
end

local function cp_next_picture(_, direction, data, at)
  local header = session_schema.screen_header
  if #data - at < header then return nil, header - (#data - at) end
  local size = cp_little(data, at, 4)
  if size > session_schema.screen_limit then return nil, nil, string.format("a body has %d bytes", size) end
  if #data - at < header + size then return nil, header + size - (#data - at) end
  local kind = session_schema.picture_kinds[data:byte(at + 5)]
  if kind == "frame" and not direction.has_configuration then
    -- The picture is read on, behind a remark of no bytes.
    direction.has_configuration = true
    return { what = "rest", at = at, length = 0, reason = "a picture came before a configuration" }
  end
  if kind == "configuration" then direction.has_configuration = true end
  return { what = "picture", at = at, length = header + size }
end

local function cp_next_sound(_, _, data, at)
  if #data - at < 2 then return nil, 2 - (#data - at) end
  local length = cp_big(data, at, 2)
  if length < 2 + session_schema.sound_header then return nil, nil, string.format("a frame has %d bytes", length) end
  if #data - at < 3 then return nil, 1 end
  -- The version of RTP. Bytes behind a gap seldom have it.
  if data:byte(at + 3) ~= 0x80 then return nil, nil, "a frame has no header of RTP" end
  if #data - at < length then return nil, length - (#data - at) end
  return { what = "sound", at = at, length = length }
end

local function cp_next_package(connection, direction, data, at)
  if #data - at < 4 then return nil, 4 - (#data - at) end
  local length = cp_big(data, at, 4)
  if length < session_schema.package_header or length > session_schema.package_limit then
    if connection.session.is_verified and not direction.has_package then
      direction.is_sealed = true
      return { what = "sealed", at = at, length = #data - at }
    end
    return nil, nil, string.format("a package has %.0f bytes", length)
  end
  if #data - at < length then return nil, length - (#data - at) end
  direction.has_package = true
  return { what = "package", at = at, length = length }
end

-- Whether a piece begins with a unit of a stream. A copy has a piece of its own for what follows bytes that cannot be
-- read, so a stream is read on there.
local cp_begins_unit = {
  screen = function(data)
    local header = session_schema.screen_header
    return #data >= header and cp_little(data, 0, 4) <= session_schema.screen_limit
      and session_schema.picture_kinds[data:byte(5)] ~= nil and not data:sub(65, header):find("[^%z]")
  end,
  buffered = function(data)
    return #data >= 3 and cp_big(data, 0, 2) >= 2 + session_schema.sound_header and data:byte(3) == 0x80
  end,
  data = function(data)
    local header = session_schema.package_header
    return #data >= header and cp_big(data, 0, 4) >= header and cp_big(data, 0, 4) <= session_schema.package_limit
      and not (data:sub(9, 16) .. data:sub(29, header)):find("[^%z]")
  end,
}

local cp_readers = { screen = cp_next_picture, buffered = cp_next_sound, data = cp_next_package }

-- Returns the mark of a packet in a copy that `iap2 decode --decrypted` has written, and the reason of damage.
-- Wireshark has no comments while it reads a file for the first time, so items do not follow from marks.
local function cp_mark(comments)
  for _, comment in ipairs(comments) do
    if comment == session_schema.comment_sealed then return "sealed" end
    if comment == session_schema.comment_incomplete then return "incomplete" end
    local damaged = session_schema.comment_damaged
    if comment:sub(1, #damaged) == damaged then return "damaged", comment:sub(#damaged + 1) end
  end
end

-- Reads a piece. Returns its items, and the bytes that the last one lacks if the piece ends within it.
local function cp_read(connection, side, data, can_join)
  local direction = connection.directions[side]
  local whole = { what = "sealed", at = 0, length = #data }
  local read = cp_next_message
  if connection.kind == "stream" then read = cp_readers[connection.family] end
  if direction.is_dead and connection.kind == "stream" and cp_begins_unit[connection.family]
    and cp_begins_unit[connection.family](data)
  then
    -- The configuration may be among the bytes that are missing.
    direction.is_dead, direction.has_configuration = false, true
  end
  if direction.is_dead or not read or direction.is_sealed and connection.kind == "stream" then return { whole } end
  if connection.family and connection.family ~= "data" and side == schema.accessory then return { whole } end
  local items, at = {}, 0
  while at < #data do
    local item, missing, problem = read(connection, direction, data, at)
    if item then
      table.insert(items, item)
      at = at + item.length
    elseif missing and can_join then
      return items, at, missing
    else
      if not missing then direction.is_dead = true end
      table.insert(items, { what = "rest", at = at, length = #data - at, reason = problem })
      break
    end
  end
  return items
end

-- Returns whether bytes begin with the configuration of a screen, whose headers are never encrypted.
local function cp_begins_screen(data)
  local header = session_schema.screen_header
  if #data < header or session_schema.picture_kinds[data:byte(5)] ~= "configuration" then return false end
  local width, height = Struct.unpack("<ff", data:sub(17, 24))
  return width >= 16 and width <= 8192 and height >= 16 and height <= 8192 and not data:sub(65, header):find("[^%z]")
end

local function cp_new_connection(role, client)
  local connection = { pending = {}, client = client, directions = { [schema.device] = {}, [schema.accessory] = {} } }
  for key, value in pairs(role) do connection[key] = value end
  connection.role = role
  return connection
end

-- Returns the connection of a segment; nil for one that belongs to no session. Wireshark numbers connections only when
-- it shows them, so a connection is known by its ends, and its role states whether a later one has the same ends.
local function cp_connection_of(source, target, data)
  local name = source < target and source .. " " .. target or target .. " " .. source
  local known = cp_connections[name]
  local role = cp_listeners[target] or cp_listeners[source]
  if known and (not role or known.role == role) then return known end
  local found
  if cp_listeners[target] then
    found = cp_new_connection(cp_listeners[target], source)
  elseif cp_listeners[source] then
    found = cp_new_connection(cp_listeners[source], target)
  elseif cp_begins(data) then
    local session = { number = #cp_sessions + 1, phone = cp_address(source), head_unit = cp_address(target) }
    table.insert(cp_sessions, session)
    found = cp_new_connection({ kind = "control", name = "control", session = session }, source)
  elseif cp_begins_screen(data) then
    for index = #cp_sessions, 1, -1 do
      local session = cp_sessions[index]
      if session.is_verified and session.phone == cp_address(source) and session.head_unit == cp_address(target) then
        found = cp_new_connection({ kind = "stream", family = "screen", name = "screen", session = session }, source)
        break
      end
    end
  end
  if found then cp_connections[name] = found end
  return found
end
