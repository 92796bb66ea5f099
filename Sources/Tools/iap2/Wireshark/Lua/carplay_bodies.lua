-- Bodies of messages as trees. A node has a kind, its place in the body, and a value or its parts. Every length is
-- checked, and depth, objects and bytes are bounded, because a property list may refer to itself.

-- Returns UTF-16 as UTF-8; nil for a half of a pair without the other.
local function cp_utf16(data, at, count)
  local parts, index = {}, 0
  while index < count do
    local unit = cp_big(data, at + 2 * index, 2)
    index = index + 1
    if unit >= 0xD800 and unit < 0xDC00 then
      local low = index < count and cp_big(data, at + 2 * index, 2) or 0
      if low < 0xDC00 or low > 0xDFFF then return nil end
      unit = 0x10000 + (unit - 0xD800) * 0x400 + (low - 0xDC00)
      index = index + 1
    elseif unit >= 0xDC00 and unit < 0xE000 then
      return nil
    end
    local function more(shift) return 0x80 + math.floor(unit / shift) % 0x40 end
    if unit < 0x80 then
      table.insert(parts, string.char(unit))
    elseif unit < 0x800 then
      table.insert(parts, string.char(0xC0 + math.floor(unit / 0x40), more(1)))
    elseif unit < 0x10000 then
      table.insert(parts, string.char(0xE0 + math.floor(unit / 0x1000), more(0x40), more(1)))
    else
      table.insert(parts, string.char(0xF0 + math.floor(unit / 0x40000), more(0x1000), more(0x40), more(1)))
    end
  end
  return table.concat(parts)
end

-- Returns the tree of a binary property list; nil and the reason for other bytes.
local function cp_property_list(data)
  local size = #data
  if size > session_schema.body_limit then return nil, "the list is too long" end
  if data:sub(1, 8) ~= "bplist00" then return nil, "the bytes are no binary property list" end
  if size < 40 then return nil, "the table of the list is wrong" end
  local trailer = size - 32
  local offset_size, reference_size = data:byte(trailer + 7), data:byte(trailer + 8)
  local count, top, list = cp_big(data, trailer + 8, 8), cp_big(data, trailer + 16, 8), cp_big(data, trailer + 24, 8)
  if offset_size < 1 or offset_size > 8 or reference_size < 1 or reference_size > 8 or count < 1 or top >= count
    or list < 8 or list > trailer or count > math.floor((trailer - list) / offset_size)
  then
    return nil, "the table of the list is wrong"
  end
  local objects_left, bytes_left = session_schema.list_objects, session_schema.list_bytes
  local read

  -- Returns the place of an object's content, and the number of its members.
  local function content(at, low, unit)
    local start = at + 1
    if low == 15 then
      local marker = start < list and data:byte(start + 1) or 0
      local width = 2 ^ (marker % 16)
      if math.floor(marker / 16) ~= 1 or width > 8 or start + 1 + width > list then return nil end
      low, start = cp_big(data, start + 1, width), start + 1 + width
    end
    if start > list or low > math.floor((list - start) / unit) then return nil end
    return start, low
  end

  local function integer(at, low)
    local width = 2 ^ low
    if low > 4 or at + 1 + width > list then return nil, "an integer ends before its length" end
    if width < 8 then
      return { kind = "integer", at = at, size = 1 + width, value = Int64(cp_big(data, at + 1, width)) }
    end
    local place = at + 1 + width - 8
    local low_half, high_half = cp_big(data, place + 4, 4), cp_big(data, place, 4)
    if width == 16 then
      local extension = data:sub(at + 2, at + 9)
      if extension == ("\0"):rep(8) then
        if high_half >= 2 ^ 31 then
          return { kind = "unsigned", at = at, size = 17, value = UInt64(low_half, high_half) }
        end
      elseif extension ~= ("\255"):rep(8) or high_half < 2 ^ 31 then
        return nil, "an integer has over 64 bits"
      end
    end
    return { kind = "integer", at = at, size = 1 + width, value = Int64(low_half, high_half) }
  end

  local function members(node, start, number, depth, step, named)
    node.parts = {}
    local seen = {}
    for index = 0, number - 1 do
      local key
      if named then
        local key_object = cp_big(data, start + index * reference_size, reference_size)
        local key_node, reason = read(key_object, depth + 1)
        if not key_node then return nil, reason end
        if key_node.kind ~= "text" then return nil, "a key is no text" end
        key = key_node.value
      end
      local object = cp_big(data, start + step + index * reference_size, reference_size)
      local part, reason = read(object, depth + 1)
      if not part then return nil, reason end
      -- Of two equal keys the first counts.
      if not key or not seen[key] then
        part.name = key
        table.insert(node.parts, part)
      end
      if key then seen[key] = true end
    end
    return node
  end

  function read(object, depth)
    if objects_left <= 0 then return nil, "the list has too many objects" end
    objects_left = objects_left - 1
    if object >= count then return nil, "a reference leads out of the list" end
    local at = cp_big(data, list + object * offset_size, offset_size)
    if at < 8 or at >= list then return nil, "an offset leads out of the list" end
    local marker = data:byte(at + 1)
    local high, low = math.floor(marker / 16), marker % 16
    if marker == 8 or marker == 9 then return { kind = "flag", at = at, size = 1, value = marker == 9 } end
    if high == 1 then return integer(at, low) end
    if high == 2 and (low == 2 or low == 3) then
      local width = 2 ^ low
      if at + 1 + width > list then return nil, "a number ends before its length" end
      local value = Struct.unpack(low == 2 and ">f" or ">d", data:sub(at + 2, at + 1 + width))
      return { kind = "real", at = at, size = 1 + width, value = value }
    end
    if high == 4 or high == 5 or high == 6 then
      local unit = high == 6 and 2 or 1
      local start, number = content(at, low, unit)
      if not start then return nil, "an object ends before its length" end
      bytes_left = bytes_left - number * unit
      if bytes_left < 0 then return nil, "the list has too many bytes" end
      local node = { at = at, size = start + number * unit - at, start = start, length = number * unit }
      if high == 4 then
        node.kind = "data"
        return node
      end
      node.kind = "text"
      node.value = high == 6 and cp_utf16(data, start, number) or data:sub(start + 1, start + number)
      if high == 5 and node.value:find("[\128-\255]") then node.value = nil end
      if not node.value then return nil, "a text is not valid" end
      return node
    end
    if high == 10 or high == 13 then
      if depth >= session_schema.list_depth then return nil, "the list is too deep" end
      local unit = high == 13 and 2 * reference_size or reference_size
      local start, number = content(at, low, unit)
      if not start then return nil, "an object ends before its length" end
      local node = { kind = high == 13 and "group" or "list", at = at, size = start + number * unit - at }
      return members(node, start, number, depth, high == 13 and number * reference_size or 0, high == 13)
    end
    return nil, "an object has an unknown type"
  end

  return read(top, 0)
end

local cp_pairing_numbers = {
  method = true, state = true, error = true, permissions = true, flags = true, retryDelay = true,
}

-- Returns the tree of the items of pairing; nil for other bytes.
local function cp_pairing(data)
  local node = { kind = "group", at = 0, size = #data, parts = {} }
  local at, continues, seen = 0, nil, {}
  while at < #data do
    if at + 1 >= #data then return nil end
    local type, length = data:byte(at + 1, at + 2)
    if at + 2 + length > #data then return nil end
    local name = session_schema.pairing_kinds[type]
    local value = data:sub(at + 3, at + 2 + length)
    if continues == type and type ~= 255 then
      local last = node.parts[#node.parts]
      last.bytes, last.size = last.bytes .. value, at + 2 + length - last.at
    else
      if type == 255 then seen = {} elseif name and seen[type] then return nil end
      seen[type] = true
      local part = { name = name or "type" .. type, at = at, size = 2 + length, bytes = value, is_item = true }
      table.insert(node.parts, part)
    end
    continues = length == 255 and type or nil
    at = at + 2 + length
  end
  for _, part in ipairs(node.parts) do
    if part.name == "identifier" and is_utf8(part.bytes) then
      part.kind, part.value = "text", part.bytes
    elseif cp_pairing_numbers[part.name] and #part.bytes == 1 then
      part.kind, part.value = "integer", Int64(part.bytes:byte())
    else
      part.kind = "data"
    end
  end
  return node
end

-- Returns the entry of a group; nil without one.
local function cp_entry(node, name)
  if not node or node.kind ~= "group" then return nil end
  for _, part in ipairs(node.parts) do if part.name == name then return part end end
end

-- Returns a whole number, which some senders write as a real one; nil without one.
local function cp_number(node)
  if not node then return nil end
  if node.kind == "integer" or node.kind == "unsigned" then return tonumber(tostring(node.value)) end
  if node.kind == "real" and node.value == node.value and math.abs(node.value) < 2 ^ 53 then
    return node.value - math.fmod(node.value, 1)
  end
end

local function cp_port(node)
  local number = cp_number(node)
  return number and number >= 0 and number <= 65535 and number or nil
end
