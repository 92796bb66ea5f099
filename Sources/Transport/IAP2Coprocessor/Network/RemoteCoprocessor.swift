// swift-iap2 · Apache-2.0

import IAP2
import IAP2Sockets
public import IAP2Transport

/// A coprocessor that another program shares. One connection carries any number of requests.
///
/// If the connection ended between two requests, the client reconnects once.
public actor RemoteCoprocessor: CoprocessorAccess {
  /// The time limit of an answer in milliseconds. Other clients may be served first, each for as long as a signature
  /// may take.
  public static let replyMilliseconds = 30_000

  private let turns = Turns()
  private let dial: @Sendable () async throws(TransportError) -> any ByteTransport
  private let clock: any RuntimeClock
  private var transport: (any ByteTransport)?
  /// The address in the form that `--authenticator` accepts.
  public nonisolated let address: String

  init(
    address: String, clock: any RuntimeClock,
    dial: @escaping @Sendable () async throws(TransportError) -> any ByteTransport
  ) {
    self.address = address
    self.clock = clock
    self.dial = dial
  }

  /// Connects to a server. Throws if it cannot be reached.
  public static func open(
    host: String, port: Int, clock: any RuntimeClock
  ) async throws(CoprocessorError) -> RemoteCoprocessor {
    let peer = TransportAddress.tcp(host: host, port: port)
    let address = "\(CoprocessorAddress.tcp(host: host, port: port))"
    let remote = RemoteCoprocessor(address: address, clock: clock) { () throws(TransportError) in
      guard let transport = try await peer.open().next() else { throw .closed }
      return transport
    }
    try await remote.connect()
    return remote
  }

  private func connect() async throws(CoprocessorError) {
    do throws(TransportError) { transport = try await dial() } catch { throw .transport(error) }
  }

  /// Closes the connection. A later request opens a new one.
  public func close() async {
    await transport?.close()
    transport = nil
  }

  /// Returns the chip's identification.
  public func information() async throws(CoprocessorError) -> CoprocessorInformation {
    let bytes = try await ask(.information)
    return CoprocessorInformation(
      deviceVersion: bytes[0], revision: bytes[1], protocolMajor: bytes[2], protocolMinor: bytes[3],
      deviceID: bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// Returns the accessory's certificate, PKCS#7 in DER.
  public func certificate() async throws(CoprocessorError) -> [UInt8] { try await ask(.certificate) }
  /// Returns the certificate's serial number without padding.
  public func serialNumber() async throws(CoprocessorError) -> [UInt8] { try await ask(.serialNumber) }
  /// Runs the chip's self test and returns its result.
  public func selfTest() async throws(CoprocessorError) -> ChipSelfTest {
    ChipSelfTest(status: try await ask(.selfTest)[0])
  }

  /// Signs a challenge of 1 to 128 bytes. The chip requires the length of its version.
  public func sign(challenge: [UInt8]) async throws(CoprocessorError) -> [UInt8] {
    let allowed = Frame.Kind.sign.requestByteCounts
    guard allowed.contains(challenge.count) else {
      throw .badLength(.challengeLength, found: challenge.count, allowed: allowed)
    }
    return try await ask(.sign, challenge)
  }

  /// Returns the payload of the answer. Its size is one that the kind may have.
  private func ask(_ kind: Frame.Kind, _ payload: [UInt8] = []) async throws(CoprocessorError) -> [UInt8] {
    try await turns.take { () throws(CoprocessorError) in
      let isUsed = transport != nil
      if !isUsed { try await connect() }
      do throws(CoprocessorError) { return try await exchange(kind, payload) } catch {
        // The program that shares the chip may have restarted meanwhile.
        guard isUsed, error == .badFrame(.truncated) || error == .transport(.closed) else { throw error }
      }
      try await connect()
      return try await exchange(kind, payload)
    }
  }

  private func exchange(_ kind: Frame.Kind, _ payload: [UInt8]) async throws(CoprocessorError) -> [UInt8] {
    guard let transport else { throw .transport(.closed) }
    let answer: Frame
    do throws(CoprocessorError) {
      answer = try await Self.exchange(Frame(.request(kind), payload), transport, clock)
    } catch {
      await close()
      throw error
    }
    if answer.content == .answer(kind) { return answer.payload }
    if answer.content == .fault {
      let fault = FrameFault(payload: answer.payload)
      // The server closes the connection after these faults.
      if [.badRequest, .unknownVersion, .tooManyClients].contains(fault.reason) { await close() }
      throw fault.error
    }
    await close()
    throw .badFrame(.unexpected(kind: answer.content.number))
  }

  private static func exchange(
    _ request: Frame, _ transport: any ByteTransport, _ clock: any RuntimeClock
  ) async throws(CoprocessorError) -> Frame {
    let result = await withTaskGroup(of: Result<Frame, CoprocessorError>.self) { group in
      group.addTask {
        do throws(CoprocessorError) { return .success(try await send(request, transport)) } catch {
          return .failure(error)
        }
      }
      group.addTask {
        do { try await clock.sleep(until: clock.now.adding(milliseconds: replyMilliseconds)) } catch {
          return .failure(.cancelled)
        }
        return .failure(.noReply(milliseconds: replyMilliseconds))
      }
      let first = await group.next() ?? .failure(.cancelled)
      group.cancelAll()
      return first
    }
    return try result.get()
  }

  private static func send(
    _ request: Frame, _ transport: any ByteTransport
  ) async throws(CoprocessorError) -> Frame {
    var reader = FrameReader()
    var failure: TransportError?
    // A server that closes at once may have sent the reason, which is read first.
    do throws(TransportError) { try await transport.send(request.bytes) } catch { failure = error }
    while true {
      let bytes: [UInt8]?
      do throws(TransportError) { bytes = try await transport.receive() } catch { throw .transport(failure ?? error) }
      guard let bytes else { throw failure.map { .transport($0) } ?? .badFrame(.truncated) }
      reader.append(bytes)
      do throws(FrameProblem) {
        guard let frame = try reader.next() else { continue }
        // A request has exactly one answer.
        guard reader.isEmpty else { throw .badMagic(offset: 0) }
        return frame
      } catch { throw .badFrame(error) }
    }
  }
}
