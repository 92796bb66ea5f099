-- Detects the unit at an offset of a byte stream. Offsets count from 0; the rules are those of `LinkScanner`.

local header_size = schema.header_byte_count

local function byte_at(bytes, at) return bytes:byte(at + 1) end

local function u16_at(bytes, at)
  local high, low = bytes:byte(at + 1, at + 2)
  return high * 256 + low
end

-- Returns the sum of bytes modulo 256, which is 0 if a checksum is correct.
local function sum(bytes, at, count)
  local total = 0
  for index = at + 1, at + count do total = total + bytes:byte(index) end
  return total % 256
end

local function scan_garbage(bytes, at)
  local next_start = bytes:find("[\255\085]", at + 2)
  return "garbage", (next_start and next_start - 1 or #bytes) - at
end

-- A frame of iAP1: `55`, length, the bytes, checksum. The detect sequence is such a frame.
local function scan_legacy(bytes, at, start)
  local available = #bytes - start
  if available < 2 then return "incomplete", start - at + 2 end
  local short = byte_at(bytes, start + 1)
  if short == 0 then return scan_garbage(bytes, at) end
  local total = short + 3
  local prefix = math.min(#bytes - at, #schema.detect)
  local could_be_detect = bytes:sub(at + 1, at + prefix) == schema.detect:sub(1, prefix)
  if available < total then
    if could_be_detect or total <= 16 then return "incomplete", start - at + total end
    return scan_garbage(bytes, at)
  end
  if sum(bytes, start + 1, total - 1) ~= 0 then return scan_garbage(bytes, at) end
  local size = start - at + total
  if could_be_detect and size == #schema.detect then return "detect", size end
  return "legacy", size
end

-- Returns the kind of the unit and its length; for "incomplete", the number of bytes needed from `at` on.
local function scan(bytes, at)
  local available = #bytes - at
  if available <= 0 then return "end", 0 end
  local first = byte_at(bytes, at)
  if first == 0x55 then return scan_legacy(bytes, at, at) end
  if first ~= 0xFF then return scan_garbage(bytes, at) end
  if available < 2 then return "incomplete", 2 end
  local second = byte_at(bytes, at + 1)
  if second == 0x55 then return scan_legacy(bytes, at, at + 1) end
  if second ~= 0x5A then return scan_garbage(bytes, at) end
  if available < header_size then return "incomplete", header_size end
  local length = u16_at(bytes, at + 2)
  if sum(bytes, at, header_size) ~= 0 then return "bad_header", length end
  if length < header_size then return "bad_length", length end
  if available < length then return "incomplete", length end
  if sum(bytes, at + header_size, length - header_size) ~= 0 then return "bad_payload", length end
  return "packet", length
end

-- Returns whether a damaged packet has a valid length: the bytes after it are a packet, or there are none.
local function is_isolated(bytes, at, length)
  local stop = at + length
  if length < header_size or stop > #bytes then return false end
  return stop == #bytes or bytes:find("^\255[\090\085]", stop + 1) ~= nil
end

-- Returns whether bytes begin in a way that only this protocol does.
local function begins(bytes)
  if bytes:sub(1, #schema.detect) == schema.detect then return true end
  return #bytes >= header_size and u16_at(bytes, 0) == 0xFF5A and sum(bytes, 0, header_size) == 0
    and u16_at(bytes, 2) >= header_size
end

-- Strict UTF-8: no surrogates and no overlong forms.
local function is_utf8(text)
  local at = 1
  while at <= #text do
    local first = text:byte(at)
    local more, lowest, highest = 0, 0x80, 0xBF
    if first >= 0xC2 and first <= 0xDF then
      more = 1
    elseif first >= 0xE0 and first <= 0xEF then
      more = 2
      if first == 0xE0 then lowest = 0xA0 elseif first == 0xED then highest = 0x9F end
    elseif first >= 0xF0 and first <= 0xF4 then
      more = 3
      if first == 0xF0 then lowest = 0x90 elseif first == 0xF4 then highest = 0x8F end
    elseif first > 0x7F then
      return false
    end
    for step = 1, more do
      local byte = text:byte(at + step)
      if not byte or byte < lowest or byte > highest then return false end
      lowest, highest = 0x80, 0xBF
    end
    at = at + 1 + more
  end
  return true
end
