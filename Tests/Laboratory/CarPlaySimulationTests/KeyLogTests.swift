// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import CarPlaySimulation
import Cryptography
import Synchronization
import Testing

/// The key log has what a reader of a capture needs. The reader of these tests has only the bytes of the phone and the
/// lines of the log.
@Suite("The key log of a session") struct KeyLogTests {
  /// The bytes that the phone sends on its control connection.
  private final class Capture: Sendable {
    private let sent = Mutex<[UInt8]>([])
    var bytes: [UInt8] { sent.withLock { $0 } }

    func record(_ network: inout SessionNetwork) {
      network.fault = { delivery in
        if case (.headUnit, .control, .bytes(let bytes)) = (delivery.node, delivery.socket, delivery.content) {
          self.sent.withLock { $0 += bytes }
        }
        return [delivery]
      }
    }
  }

  private func network(
    _ capture: Capture, _ generation: Generation = .current, _ change: (inout PhoneConfiguration) -> Void = { _ in }
  ) throws -> SessionNetwork {
    var phone = PhoneConfiguration(
      identity: try Sessions.identity("phone"), generation: generation, judge: Sessions.judge)
    change(&phone)
    var network = SessionNetwork(
      headUnit: try Sessions.headUnit(generation), phones: [PhoneSession(phone, random: SeededBytes(5).bytes)],
      sign: Sessions.sign)
    capture.record(&network)
    network.start()
    network.run(for: .seconds(1))
    return network
  }

  private func lines(_ network: SessionNetwork, _ node: SessionNetwork.Node) -> [String] {
    network.keyLog.filter { $0.node == node }.map(\.secret.keyLogLine)
  }

  @Test("Both sides log the same lines, and a line decrypts the control channel of the phone")
  func aLineDecryptsTheControlChannel() throws {
    let capture = Capture()
    let network = try network(capture)
    let log = lines(network, .phone(0))
    #expect(log == lines(network, .headUnit))
    let words = log.map { $0.split(separator: " ").map(String.init) }
    #expect(words.map(\.[0]) == ["CARPLAY_PAIR_SETUP", "CARPLAY_PAIR_VERIFY", "CARPLAY_AUTH_SETUP"])
    #expect(words.map { $0[2].count } == [128, 64, 64])
    let bytes = capture.bytes
    let clear = try #require(lastRequest("/pair-verify", in: bytes))
    for line in words.prefix(2) {
      // Fragments of a TLV8 value have at most 255 bytes.
      let key = try #require(Hex.bytes(line[1].prefix(2 * 32)[...]))
      #expect(bytes[..<clear].contains(key))
    }
    let secret = try #require(Hex.bytes(words[1][2][...]))
    var opener = FrameOpener(key: ChannelKeys.control(Secret(secret)).phone)
    let opened = try opener.open(Array(bytes[clear...]))
    for request in ["POST /auth-setup RTSP/1.0", "SETUP rtsp://", "GET /info RTSP/1.0", "RECORD rtsp://"] {
      #expect(opened.contains(Array(request.utf8)), "\(request)")
    }
    #expect(opened.contains(try #require(Hex.bytes(words[2][1][...]))))
  }

  @Test("The line of pair-setup opens the identity of the phone")
  func aLineOpensTheIdentity() throws {
    let capture = Capture()
    let network = try network(capture)
    let words = lines(network, .headUnit)[0].split(separator: " ").map(String.init)
    let secret = Secret(try #require(Hex.bytes(words[2][...])))
    let body = try #require(requests(in: capture.bytes).last { $0.path == "/pair-setup" }).body
    var sealed = try #require(TLV8(bytes: body)[.encryptedData])
    let key = try HKDF.derive(
      .sha512, secret: secret.span, salt: Array("Pair-Setup-Encrypt-Salt".utf8).span,
      info: Array("Pair-Setup-Encrypt-Info".utf8).span, byteCount: 32)
    let count = sealed.count - ChaCha20Poly1305.tagByteCount
    let nonce = ChaCha20Poly1305.Nonce(UInt64(littleEndianBytes: "PS-Msg05".utf8))
    let cipher = try ChaCha20Poly1305(key)
    var span = sealed.mutableSpan
    let isOpen = cipher.open(&span, in: 0..<count, nonce: nonce, authenticating: [UInt8]().span)
    #expect(isOpen)
    #expect(try TLV8(bytes: Array(sealed[..<count]))[.identifier] == Array("phone".utf8))
  }

  @Test("A phone without pairing has the secret of auth-setup alone")
  func aPhoneWithoutPairingHasOneLine() throws {
    let capture = Capture()
    let network = try network(capture, .old)
    #expect(lines(network, .headUnit) == lines(network, .phone(0)))
    #expect(network.keyLog.map(\.secret.procedure) == [.authSetup, .authSetup])
    #expect(capture.bytes.contains(network.keyLog[0].secret.phoneKey))
  }

  @Test("A head unit that proves nothing has its secret in the log, so that its answer can be read")
  func aFailedProofIsLogged() throws {
    let capture = Capture()
    let network = try network(capture) { phone in
      phone.headUnits["head unit"] = [UInt8](repeating: 9, count: 32)
    }
    #expect(network.ends(of: .phone(0)) == [.badSignature])
    #expect(network.keyLog.filter { $0.node == .phone(0) }.map(\.secret.procedure) == [.pairVerify])
  }

  /// The requests in the clear.
  private func requests(in bytes: [UInt8]) -> [RequestMessage] {
    var reader = RequestReader()
    var found: [RequestMessage] = []
    for byte in bytes {
      reader.add([byte])
      do throws(RequestReader.Problem) { if let next = try reader.next() { found.append(next) } } catch { break }
    }
    return found
  }

  /// The place behind the last request of a path in the clear.
  private func lastRequest(_ path: String, in bytes: [UInt8]) -> Int? {
    var reader = RequestReader()
    var end: Int?
    for (index, byte) in bytes.enumerated() {
      reader.add([byte])
      do throws(RequestReader.Problem) {
        if try reader.next()?.path == path { end = index + 1 }
      } catch { return end }
    }
    return end
  }
}
