// swift-iap2 · Apache-2.0

import IAP2Transport

#if Bluetooth
  import Foundation
  import Glibc
  import IAP2Transport
  import Synchronization

  /// A message bus with one client, written by hand from the D-Bus specification 0.42. It accepts every call.
  ///
  /// Invariant for `@unchecked`: the thread sets `client` before it records the first call in `state`, and the test
  /// reads it after that.
  final class FakeBus: @unchecked Sendable {
    private let listener: Int32
    private let path: String
    private var client: Int32 = -1
    private let state = Mutex(State())

    private struct State {
      /// The member names of the received calls.
      var calls: [String] = []
      /// The serial numbers of sent calls that were accepted. `rejected` has those that were answered with an error.
      var accepted: Set<UInt32> = []
      var rejected: Set<UInt32> = []
      /// A message that is sent together with the answer to the next call of this name.
      var companion: (member: String, message: [UInt8], descriptor: Int32)?
      var isOver = false
    }

    var address: String { "unix:path=\(path)" }

    init() throws {
      path = FileManager.default.temporaryDirectory.appendingPathComponent("iap2-bus-\(UUID().uuidString)").path
      listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: bytes) }
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let status = unsafe withUnsafePointer(to: &name) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, size) }
      }
      guard status == 0, listen(listener, 1) == 0 else { throw CancellationError() }
      startThread("fake-bus") { self.work() }
    }

    /// Closes the bus.
    func end() {
      // The lock is needed, because the thread closes the socket.
      state.withLock { if !$0.isOver { shutdown(client, Int32(SHUT_RDWR)) } }
      unsafe unlink(path)
    }

    var calls: [String] { state.withLock { $0.calls } }

    /// Returns whether a sent call was accepted; nil until it is answered.
    func answer(to serial: UInt32) -> Bool? {
      state.withLock { $0.accepted.contains(serial) ? true : $0.rejected.contains(serial) ? false : nil }
    }

    /// Sends a message in the same packet as the answer to the next call of this name.
    func accompany(_ member: String, with message: [UInt8], _ descriptor: Int32) {
      state.withLock { $0.companion = (member, message, descriptor) }
    }

    func send(_ bytes: [UInt8], _ descriptor: Int32? = nil) {
      var bytes = bytes
      // The buffer is a `struct cmsghdr`: its length, SOL_SOCKET, SCM_RIGHTS, the descriptor, and zeros up to a
      // multiple of eight.
      var control: [UInt64] = [20, UInt64(SOL_SOCKET) | 1 << 32, UInt64(UInt32(bitPattern: descriptor ?? 0))]
      unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe control.withUnsafeMutableBytes { control in
          var piece = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
          unsafe withUnsafeMutablePointer(to: &piece) { piece in
            var message = unsafe msghdr()
            unsafe message.msg_iov = piece
            unsafe message.msg_iovlen = 1
            if descriptor != nil {
              unsafe message.msg_control = control.baseAddress
              unsafe message.msg_controllen = control.count
            }
            _ = unsafe sendmsg(client, &message, Int32(MSG_NOSIGNAL))
          }
        }
      }
      if let descriptor { Glibc.close(descriptor) }
    }

    // MARK: The thread

    private func work() {
      client = accept(listener, nil, nil)
      Glibc.close(listener)
      logIn()
      while let message = nextMessage() { take(message) }
      state.withLock { state in
        state.isOver = true
        Glibc.close(client)
      }
    }

    private func readExactly(_ count: Int) -> [UInt8]? {
      var bytes: [UInt8] = []
      while bytes.count < count {
        var more = [UInt8](repeating: 0, count: count - bytes.count)
        let got = unsafe Glibc.read(client, &more, more.count)
        guard got > 0 else { return nil }
        bytes += more[..<got]
      }
      return bytes
    }

    /// Reads lines of text until `BEGIN` and answers the authentication.
    private func logIn() {
      var line: [UInt8] = []
      while let byte = readExactly(1)?.first {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        let text = String(decoding: line, as: UTF8.self)
        line = []
        if text.contains("AUTH") { send(Array("OK 0123456789abcdef0123456789abcdef\r\n".utf8)) }
        if text.contains("NEGOTIATE_UNIX_FD") { send(Array("AGREE_UNIX_FD\r\n".utf8)) }
        if text.contains("BEGIN") { return }
      }
    }

    private func nextMessage() -> [UInt8]? {
      guard let head = readExactly(16) else { return nil }
      let fields = Int(BusBytes.number(head, 12))
      guard let rest = readExactly((fields + 7) / 8 * 8 + Int(BusBytes.number(head, 4))) else { return nil }
      return head + rest
    }

    private func take(_ message: [UInt8]) {
      let serial = BusBytes.number(message, 8)
      switch message[1] {
      case 1:
        let member = BusBytes.field(3, of: message)
        let companion = state.withLock { state -> ([UInt8], Int32)? in
          state.calls.append(member)
          guard let found = state.companion, found.member == member else { return nil }
          state.companion = nil
          return (found.message, found.descriptor)
        }
        send(BusBytes.reply(to: serial, member) + (companion?.0 ?? []), companion?.1)
      case 2, 3:
        let replied = BusBytes.replySerial(of: message)
        state.withLock { state in
          if message[1] == 2 { _ = state.accepted.insert(replied) } else { _ = state.rejected.insert(replied) }
        }
      default: break
      }
    }
  }

  /// A builder of messages in little-endian bytes (D-Bus specification, section "Message Protocol").
  struct BusBytes {
    private var bytes: [UInt8] = []

    private mutating func align(_ size: Int) { while !bytes.count.isMultiple(of: size) { bytes.append(0) } }

    private mutating func add(_ number: UInt32) {
      align(4)
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private mutating func add(_ text: String) {
      add(UInt32(text.utf8.count))
      bytes += Array(text.utf8) + [0]
    }

    private mutating func add(signature: String) {
      bytes += [UInt8(signature.utf8.count)] + Array(signature.utf8) + [0]
    }

    private enum Field {
      case text(UInt8, String, String)
      case number(UInt8, UInt32)
      case signature(String)
    }

    private static func message(_ kind: UInt8, serial: UInt32, _ fields: [Field], body: BusBytes) -> [UInt8] {
      var list = BusBytes()
      for field in fields {
        list.align(8)
        switch field {
        case .text(let code, let signature, let text):
          list.bytes.append(code)
          list.add(signature: signature)
          list.add(text)
        case .number(let code, let number):
          list.bytes.append(code)
          list.add(signature: "u")
          list.add(number)
        case .signature(let text):
          list.bytes.append(8)
          list.add(signature: "g")
          list.add(signature: text)
        }
      }
      var whole = BusBytes(bytes: [UInt8(ascii: "l"), kind, 0, 1])
      whole.add(UInt32(body.bytes.count))
      whole.add(serial)
      whole.add(UInt32(list.bytes.count))
      whole.bytes += list.bytes
      whole.align(8)
      return whole.bytes + body.bytes
    }

    static func reply(to serial: UInt32, _ member: String) -> [UInt8] {
      var body = BusBytes()
      var fields: [Field] = [.number(5, serial)]
      if member == "Hello" {
        body.add(":1.1")
        fields.append(.signature("s"))
      }
      return message(2, serial: 1000 + serial, fields, body: body)
    }

    /// Returns a signal that the name `org.bluez` has a new owner.
    static func bluetoothdCame(serial: UInt32) -> [UInt8] {
      var body = BusBytes()
      for text in ["org.bluez", "", ":1.7"] { body.add(text) }
      return message(
        4, serial: serial,
        [
          .text(1, "o", "/org/freedesktop/DBus"), .text(2, "s", "org.freedesktop.DBus"),
          .text(3, "s", "NameOwnerChanged"), .text(7, "s", "org.freedesktop.DBus"), .signature("sss"),
        ], body: body)
    }

    /// Returns the call for a device that has connected. One file descriptor must accompany it.
    static func newConnection(serial: UInt32) -> [UInt8] {
      var body = BusBytes()
      body.add("/org/bluez/hci0/dev_00_AA_01_01_00_01")
      body.add(UInt32(0))
      body.add(UInt32(0))
      body.align(8)
      return message(
        1, serial: serial,
        [
          .text(1, "o", "/org/iap2/profile/0"), .text(2, "s", "org.bluez.Profile1"), .text(3, "s", "NewConnection"),
          .text(7, "s", ":1.7"), .signature("oha{sv}"), .number(9, 1),
        ], body: body)
    }

    static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * $1) }
    }

    /// Returns the offset of a field's value. Fields begin at multiples of eight with a code, the length of a
    /// signature, the signature and a zero.
    private static func place(_ code: UInt8, of message: [UInt8]) -> Int? {
      var offset = 16
      let end = 16 + Int(number(message, 12))
      while offset < end {
        let value = offset + 4
        if message[offset] == code { return value }
        switch message[offset + 2] {
        case UInt8(ascii: "u"): offset = value + 4
        case UInt8(ascii: "g"): offset = value + Int(message[value]) + 2
        default: offset = value + 4 + Int(number(message, value)) + 1
        }
        offset = (offset + 7) / 8 * 8
      }
      return nil
    }

    static func field(_ code: UInt8, of message: [UInt8]) -> String {
      guard let place = place(code, of: message) else { return "" }
      return String(decoding: message[(place + 4)..<(place + 4 + Int(number(message, place)))], as: UTF8.self)
    }

    static func replySerial(of message: [UInt8]) -> UInt32 { place(5, of: message).map { number(message, $0) } ?? 0 }
  }
#endif
