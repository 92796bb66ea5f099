// swift-iap2 · Apache-2.0

@_exported public import IAP2
@_exported public import IAP2Roles
@_exported public import IAP2Runtime
@_exported public import IAP2Simulation
@_exported public import IAP2Transport

/// A head unit and a phone in one process and in virtual time, which test an EA protocol without a device.
public enum Loopback {
  /// Connects both sides, opens a session of the protocol, runs both ends of it and ends the connection in order.
  ///
  /// - Parameters:
  ///   - protocolName: The EA protocol that the accessory identifies and the app opens.
  ///   - accessory: The service of the accessory. The session ends when it returns.
  ///   - app: The use of the session by the app.
  /// - Returns: The result of `app`.
  /// - Throws: The error of `app`, ``LoopbackError`` if the connection was not ready, `ExternalAccessoryError` if the
  ///   session was not opened, or `VirtualTimeStalled` if both ends wait for each other.
  public static func run<Result: Sendable>(
    _ protocolName: String, accessory: @escaping @Sendable (ExternalAccessoryStream) async -> Void,
    app: @escaping @Sendable (ExternalAccessoryStream) async throws -> Result
  ) throws -> Result {
    try run(
      protocolName, accessory: { session, _ in await accessory(session) }, app: { session, _ in try await app(session) }
    )
  }

  /// Does the same for code that sleeps or has timeouts. Both ends get the clock of the run.
  ///
  ///     try Loopback.run("com.example.thermo", accessory: thermometer) { session, clock in
  ///       try await clock.sleep(for: .seconds(60))
  ///       return await session.read()
  ///     }
  ///
  /// Pass the clock to code with timeouts. It conforms to `Clock`, so it fits every parameter of type
  /// `any Clock<Duration>`. `Task.sleep` does not move its time.
  ///
  /// - Parameters:
  ///   - protocolName: The EA protocol that the accessory identifies and the app opens.
  ///   - accessory: The service of the accessory. The session ends when it returns.
  ///   - app: The use of the session by the app.
  /// - Returns: The result of `app`.
  /// - Throws: The error of `app`, ``LoopbackError`` if the connection was not ready, `ExternalAccessoryError` if the
  ///   session was not opened, or `VirtualTimeStalled` if both ends wait for each other or for real time.
  public static func run<Result: Sendable>(
    _ protocolName: String, accessory: @escaping @Sendable (ExternalAccessoryStream, VirtualTime) async -> Void,
    app: @escaping @Sendable (ExternalAccessoryStream, VirtualTime) async throws -> Result
  ) throws -> Result {
    try VirtualTime.run { time in
      let transports = MemoryTransport.pair()
      var options = RoleOptions()
      options.clock = time
      let headUnit = HeadUnit(profile: .standard(protocols: [protocolName]), options: options)
      await headUnit.serve(protocolName) { session in
        await time.participant("the accessory") { await accessory(session, time) }
      }
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
        do { result = try await time.participant("the app") { try await app(stream, time) } } catch {
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
    for await event in phone.events where event.event == .connected { return true }
    return false
  }
}

/// The error of a loopback whose connection cannot be used.
public enum LoopbackError: Error, Sendable {
  /// The connection ended before both sides were ready.
  case neverReady
}
