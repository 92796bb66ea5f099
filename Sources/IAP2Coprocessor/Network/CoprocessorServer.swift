// swift-iap2 · Apache-2.0

public import IAP2Runtime
import Synchronization

/// Shares a coprocessor: answers the requests of many clients, who take turns at the chip.
public final class CoprocessorServer: Sendable {
  /// What happens, for people. Clients are named by their address.
  public enum Event: Sendable, Equatable {
    case came(client: String)
    case answered(client: String, Frame.Kind)
    case failed(client: String, Frame.Kind, CoprocessorError)
    case misunderstood(client: String, FrameProblem)
    case turnedAway(client: String)
    case left(client: String)
  }

  /// Clients at once: far more than a laboratory has, and each costs a socket.
  public static let maximumClients = 32

  private let chip: any CoprocessorAccess
  private let tell: @Sendable (Event) -> Void
  private struct State {
    /// Who is served now.
    var clients: [Int: any ByteTransport] = [:]
    var isEnding = false
  }

  private let state = Mutex(State())

  public init(_ chip: any CoprocessorAccess, tell: @escaping @Sendable (Event) -> Void = { _ in }) {
    self.chip = chip
    self.tell = tell
  }

  /// Serves until the source has no more clients and the last has gone. May be called once.
  public func serve(_ source: any TransportSource) async throws(TransportError) {
    let result: Result<Void, TransportError> = await withDiscardingTaskGroup { group in
      var number = 0
      while true {
        do throws(TransportError) {
          guard let client = try await source.next() else { return .success(()) }
          number += 1
          let id = number
          let isWelcome = state.withLock { state in
            guard !state.isEnding, state.clients.count < Self.maximumClients else { return false }
            state.clients[id] = client
            return true
          }
          group.addTask {
            if isWelcome {
              await self.serve(client)
              self.state.withLock { $0.clients[id] = nil }
            } else {
              await self.turnAway(client)
            }
          }
        } catch { return .failure(error) }
      }
    }
    try result.get()
  }

  /// Ends the connections of all clients, and takes no more; what the chip is doing is done to its end.
  public func end() async {
    let clients = state.withLock { state in
      state.isEnding = true
      return Array(state.clients.values)
    }
    for client in clients { await client.close() }
  }

  private func turnAway(_ client: any ByteTransport) async {
    tell(.turnedAway(client: client.address))
    do { try await client.send(FrameFault(.tooManyClients, Self.maximumClients).frame.bytes) } catch {
      // It has gone already.
    }
    await client.close()
  }

  func serve(_ client: any ByteTransport) async {
    tell(.came(client: client.address))
    var reader = FrameReader()
    do {
      while let bytes = try await client.receive() {
        reader.append(bytes)
        while let frame = try reader.next() { try await client.send(try await answer(frame, client.address).bytes) }
      }
      if !reader.isEmpty { tell(.misunderstood(client: client.address, .truncated)) }
    } catch {
      if let problem = error as? FrameProblem {
        tell(.misunderstood(client: client.address, problem))
        do { try await client.send(FrameFault(problem).frame.bytes) } catch {
          // It has gone already.
        }
      }
    }
    await client.close()
    tell(.left(client: client.address))
  }

  private func answer(_ frame: Frame, _ client: String) async throws(FrameProblem) -> Frame {
    guard case .request(let kind) = frame.content else { throw .unexpected(kind: frame.content.number) }
    do throws(CoprocessorError) {
      let answer = Frame(.answer(kind), try await payload(kind, frame.payload))
      tell(.answered(client: client, kind))
      return answer
    } catch {
      tell(.failed(client: client, kind, error))
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
