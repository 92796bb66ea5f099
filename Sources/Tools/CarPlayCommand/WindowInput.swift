// swift-iap2 · Apache-2.0

import CarPlaySession
import CommandSupport
import Dispatch
import Foundation
import Glibc

/// The mouse and the keys of the window of mpv. A script in mpv writes them into a named pipe, a line each.
///
/// Invariant for `@unchecked`: the variables are used only on the queue.
final class WindowInput: @unchecked Sendable {
  private let folder: URL
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "iap2.carplay.window")
  private let source: any DispatchSourceRead
  /// The begun line.
  private var rest: [UInt8] = []
  /// The finger on the picture; nil without one.
  private var finger: (x: Int, y: Int)?
  private var act: (@Sendable (InputAction) -> Void)?

  /// The mouse is a finger; its places are shares of the picture. The wheel and the arrows turn the knob.
  private static let script = """
    local out, isDown = io.open(PIPE, "w"), false
    local function write(line) out:write(line .. "\\n") out:flush() end
    local function finger(word)
      local at, size = mp.get_property_native("mouse-pos"), mp.get_property_native("osd-dimensions")
      write(string.format("%s %.6f %.6f", word, (at.x - size.ml) / (size.w - size.ml - size.mr),
        (at.y - size.mt) / (size.h - size.mt - size.mb)))
    end
    mp.add_forced_key_binding("MBTN_LEFT", "finger", function(key)
      if key.event == "down" then isDown = true finger("down")
      elseif key.event == "up" and isDown then isDown = false finger("up") end
    end, {complex = true})
    mp.observe_property("mouse-pos", "native", function() if isDown then finger("down") end end)
    for key, line in pairs({LEFT = "back", UP = "back", WHEEL_UP = "back", RIGHT = "on", DOWN = "on", WHEEL_DOWN = "on",
      ENTER = "select", BS = "leave", ESC = "leave", h = "home", HOME = "home", SPACE = "play", n = "next"}) do
      mp.add_forced_key_binding(key, key, function() write(line) end, {repeatable = true})
    end
    """

  /// The longest line in bytes.
  private static let maximumByteCount = 256

  /// Makes the script and the pipe.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "iap2-window-\(UUID().uuidString)")
    let pipe = folder.appending(path: "input").path(percentEncoded: false)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      // The two languages quote alike.
      let script = Self.script.replacingOccurrences(of: "PIPE", with: String(reflecting: pipe))
      try Data(script.utf8).write(to: folder.appending(path: "window.lua"))
    } catch { throw CommandFailure(.system, "--screen window: \(InputFile.reason(error))") }
    guard unsafe mkfifo(pipe, 0o600) == 0 else { throw CommandFailure(.system, "--screen window: cannot make a pipe") }
    // With a writer of its own the pipe has no end before this object has.
    descriptor = unsafe open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
  }

  /// The arguments of mpv, for a shell.
  var arguments: String {
    let path = folder.appending(path: "window.lua").path(percentEncoded: false)
    return "--script='\(path.replacingOccurrences(of: "'", with: #"'\''"#))'"
  }

  /// Begins to report what the user does.
  ///
  /// - Parameters:
  ///   - size: The size of the picture in pixels.
  ///   - act: Receives each action.
  func follow(width: Int, height: Int, _ act: @escaping @Sendable (InputAction) -> Void) {
    queue.sync { self.act = act }
    source.setEventHandler { [weak self] in
      for line in self?.lines() ?? [] {
        guard let action = Self.action(line, width: width, height: height) else { continue }
        if case .finger(let x, let y, let isDown) = action { self?.finger = isDown ? (x, y) : nil }
        act(action)
      }
    }
    source.resume()
  }

  /// Lifts the finger, because the window was closed.
  func release() {
    queue.async { [self] in
      guard let (x, y) = finger else { return }
      finger = nil
      act?(.finger(x: x, y: y, isDown: false))
    }
  }

  private func lines() -> [String] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return [] }
    var lines: [String] = []
    for byte in buffer.prefix(count) {
      if byte != UInt8(ascii: "\n") {
        if rest.count < Self.maximumByteCount { rest.append(byte) }
        continue
      }
      lines.append(String(decoding: rest, as: UTF8.self))
      rest = []
    }
    return lines
  }

  /// Returns the action of a line; nil for an invalid line.
  static func action(_ line: String, width: Int, height: Int) -> InputAction? {
    let words = line.split(separator: " ")
    switch words.first {
    case "down", "up":
      guard words.count == 3, let x = Double(words[1]), let y = Double(words[2]), x.isFinite, y.isFinite else {
        return nil
      }
      func pixel(_ share: Double, _ count: Int) -> Int {
        max(0, min(Int((max(0, min(share, 1)) * Double(count)).rounded()), count - 1))
      }
      return .finger(x: pixel(x, width), y: pixel(y, height), isDown: words[0] == "down")
    case "back": return .turn(-1)
    case "on": return .turn(1)
    case "select": return .knob(.select)
    case "leave": return .knob(.back)
    case "home": return .knob(.home)
    case "play": return .mediaKey(.playPause)
    case "next": return .mediaKey(.next)
    default: return nil
    }
  }

  /// Removes the script and the pipe.
  func close() {
    // A source that was not resumed cannot be released.
    source.setCancelHandler { [descriptor] in _ = Glibc.close(descriptor) }
    source.activate()
    source.cancel()
    try? FileManager.default.removeItem(at: folder)
  }
}
