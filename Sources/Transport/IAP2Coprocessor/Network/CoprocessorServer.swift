// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Transport
import Synchronization

/// A server that shares a coprocessor. It answers the requests of many clients, one request at a time.
public final class CoprocessorServer: Sendable {
  /// An event for messages to users. `client` is the client's address.
  public enum Event: Sendable, Equatable {
    /// A client has connected.
    case connected(client: String)
    /// A request was answered.
    case answered(client: String, Frame.Kind)
    /// A request has failed.
    case failed(client: String, Frame.Kind, CoprocessorError)
    /// A client has sent bytes that do not follow the framing.
    case invalidRequest(client: String, FrameProblem)
    /// A client was rejected: ``maximumClients`` are connected, or the server is ending.
    case rejected(client: String)
    /// A client has sent no request for ``idleSeconds``, or has not taken an answer for so long.
    case idle(client: String)
    /// A client's connection has ended.
    case disconnected(client: String)
  }

  /// The largest number of clients at once. It is far more than a laboratory has, and each client costs a socket.
  public static let maximumClients = 32

  /// The time in seconds after which a client without requests loses its place. A client that authenticates sends its
  /// two requests within seconds, and the client of this project reconnects for a later request.
  public static let idleSeconds = 60

  /// The time in milliseconds in which a client must read the reason and close, before the server closes its
  /// connection. If a TCP socket is closed while bytes of the client are unread, the kernel sends RST, and the reason
  /// may be lost. A client reads within a round trip.
  public static let rejectionMilliseconds = 1000

  /// The largest number of rejected clients whose connections are open at once. Further clients wait until they are
  /// accepted. Each one costs a socket, and a process may usually have 1024 of them.
  public static let maximumRejectedClients = 64

  private let chip: any CoprocessorAccess
  private let clock: any RuntimeClock
  private let report: @Sendable (Event) -> Void
  private struct State {
    /// The clients that are being served.
    var clients: [Int: any ByteTransport] = [:]
    /// The clients that were rejected and may still read the reason.
    var rejected: [Int: any ByteTransport] = [:]
    var isEnding = false
  }

  private let state = Mutex(State())
  private let rejectedLeft = Signal()

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - chip: The chip that all clients share.
  ///   - clock: The clock for the time limits of a connection.
  ///   - report: Called for each event, on any thread.
  public init(
    _ chip: any CoprocessorAccess, clock: any RuntimeClock, report: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.chip = chip
    self.clock = clock
    self.report = report
  }

  /// Serves until the source has no more clients and the last one has disconnected. May be called once.
  public func serve(_ source: any TransportSource) async throws(TransportError) {
    let result: Result<Void, TransportError> = await withDiscardingTaskGroup { group in
      var number = 0
      while true {
        do throws(TransportError) {
          guard let client = try await source.next() else { return .success(()) }
          number += 1
          let id = number
          let isWelcome = state.withLock { state in
            guard !state.isEnding, state.clients.count < Self.maximumClients else {
              state.rejected[id] = client
              return false
            }
            state.clients[id] = client
            return true
          }
          group.addTask {
            if isWelcome {
              await self.serve(client)
              self.state.withLock { $0.clients[id] = nil }
            } else {
              await self.turnAway(client)
              self.state.withLock { $0.rejected[id] = nil }
              self.rejectedLeft.notify()
            }
          }
          while !Task.isCancelled, state.withLock({ $0.rejected.count >= Self.maximumRejectedClients }) {
            await rejectedLeft.wait()
          }
        } catch { return .failure(error) }
      }
    }
    try result.get()
  }

  /// Closes the connections of all clients and accepts no more. An operation in progress on the chip is completed.
  public func end() async {
    let clients = state.withLock { state in
      state.isEnding = true
      return Array(state.clients.values) + Array(state.rejected.values)
    }
    for client in clients { await client.close() }
  }

  private func turnAway(_ client: any ByteTransport) async {
    report(.rejected(client: client.address))
    await sendLast(FrameFault(.tooManyClients, Self.maximumClients), to: client)
    await client.close()
  }

  /// Sends a fault after which the server closes the connection, and waits until the client has closed it or the time
  /// limit has passed.
  private func sendLast(_ fault: FrameFault, to client: any ByteTransport) async {
    let end = clock.now.adding(milliseconds: Self.rejectionMilliseconds)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await client.send(fault.frame.bytes)
          while try await client.receive() != nil {}
        } catch {
          // The client has already disconnected.
        }
      }
      group.addTask { [clock] in
        do { try await clock.sleep(until: end) } catch {
          // The client has closed first.
        }
      }
      await group.next()
      group.cancelAll()
    }
  }

  func serve(_ client: any ByteTransport) async {
    report(.connected(client: client.address))
    var reader = FrameReader()
    var end = idleEnd
    do {
      while let bytes = try await limited(client, until: end, client.receive) ?? nil {
        reader.append(bytes)
        // An incomplete request gives no frame yet.
        while let frame = try reader.next() {
          let answer = try await answer(frame, client.address).bytes
          end = idleEnd
          _ = try await limited(client, until: end) { () throws(TransportError) in try await client.send(answer) }
        }
      }
      if !reader.isEmpty { report(.invalidRequest(client: client.address, .truncated)) }
    } catch {
      if let problem = error as? FrameProblem {
        report(.invalidRequest(client: client.address, problem))
        await sendLast(FrameFault(problem), to: client)
      }
    }
    await client.close()
    report(.disconnected(client: client.address))
  }

  private var idleEnd: MonotonicTime { clock.now.adding(milliseconds: Self.idleSeconds * 1000) }

  /// Receives from a client or sends to it. Returns nil at the time limit, after it has closed the client's connection.
  private func limited<Value: Sendable>(
    _ client: any ByteTransport, until end: MonotonicTime,
    _ body: @escaping @Sendable () async throws(TransportError) -> Value
  ) async throws(TransportError) -> Value? {
    let result = await withTaskGroup(of: Result<Value, TransportError>?.self) { group in
      group.addTask {
        do throws(TransportError) { return .success(try await body()) } catch { return .failure(error) }
      }
      group.addTask { [clock] in
        do { try await clock.sleep(until: end) } catch {
          // The body has ended first.
        }
        return nil
      }
      let first = await group.next() ?? nil
      if first == nil {
        report(.idle(client: client.address))
        await client.close()
      }
      group.cancelAll()
      return first
    }
    return try result?.get()
  }

  private func answer(_ frame: Frame, _ client: String) async throws(FrameProblem) -> Frame {
    guard case .request(let kind) = frame.content else { throw .unexpected(kind: frame.content.number) }
    do throws(CoprocessorError) {
      let answer = Frame(.answer(kind), try await payload(kind, frame.payload))
      report(.answered(client: client, kind))
      return answer
    } catch {
      report(.failed(client: client, kind, error))
      return FrameFault(error).frame
    }
  }

  private func payload(_ kind: Frame.Kind, _ request: [UInt8]) async throws(CoprocessorError) -> [UInt8] {
    switch kind {
    case .information:
      let found = try await chip.information()
      return [found.deviceVersion, found.revision, found.protocolMajor, found.protocolMinor]
        + (0..<4).map { UInt8(truncatingIfNeeded: found.deviceID >> (24 - 8 * $0)) }
    case .certificate: return try await chip.certificate()
    case .serialNumber: return try await chip.serialNumber()
    case .sign: return try await chip.sign(challenge: request)
    case .selfTest: return [try await chip.selfTest().status]
    }
  }
}
