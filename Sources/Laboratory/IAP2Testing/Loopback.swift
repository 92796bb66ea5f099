// swift-iap2 · Apache-2.0

@_exported public import IAP2
@_exported public import IAP2Roles
@_exported public import IAP2Runtime
@_exported public import IAP2Simulation
@_exported public import IAP2Transport

/// A head unit and a phone in one process, in virtual time: to test an accessory protocol without either.
public enum Loopback {
  /// Brings both sides up, opens a session of the protocol, runs both ends of it and ends orderly.
  ///
  /// - Parameters:
  ///   - accessory: what the accessory does with the session; the session ends when it returns.
  ///   - app: what the app does with it; its result is returned.
  /// - Throws: what `app` throws, ``LoopbackError`` if the session never opened, and `VirtualTimeStalled` if both ends
  ///   wait for each other.
  public static func run<Result: Sendable>(
    _ protocolName: String, accessory: @escaping @Sendable (ExternalAccessoryStream) async -> Void,
    app: @escaping @Sendable (ExternalAccessoryStream) async throws -> Result
  ) throws -> Result {
    try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let headUnit = HeadUnit(profile: .standard(protocols: [protocolName]), options: options)
      await headUnit.serve(protocolName, accessory)
      let phone = Phone(options: options)
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { _ = await headUnit.run(on: transports.accessory) }
        group.addTask {
          _ = await phone.run(on: transports.device)
          phone.finish()
        }
        guard await ready(phone) else { throw LoopbackError.neverReady }
        let stream = try await phone.open(protocolName)
        let result: Result
        do { result = try await app(stream) } catch {
          await phone.disconnect()
          throw error
        }
        await stream.close()
        await phone.disconnect()
        return result
      }
    }
  }

  private static func ready(_ phone: Phone) async -> Bool {
    var wanted: [RoleEvent] = [.authenticated, .identified]
    for await event in phone.events {
      wanted.removeAll { $0 == event.event }
      if wanted.isEmpty { return true }
    }
    return false
  }
}

public enum LoopbackError: Error, Sendable {
  /// The connection ended before both sides were ready.
  case neverReady
}
