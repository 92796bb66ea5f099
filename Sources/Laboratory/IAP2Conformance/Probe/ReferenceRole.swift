// swift-iap2 · Apache-2.0

public import IAP2
import IAP2Roles
public import IAP2Runtime
import IAP2Transport

/// This package's own head unit or phone in the same process, as a peer for checks.
public enum ReferenceRole {
  /// Starts a new role and returns a transport that is connected to it.
  ///
  /// - Parameters:
  ///   - side: the side of the role; the returned transport is the other end.
  ///   - clock: the clock of the role, on whose executor the role runs if it has one.
  ///   - protocolName: the EA protocol of the role, whose service echoes.
  public static func connection(
    to side: Side, clock: any RuntimeClock, protocolName: String = Setting.defaultProtocolName
  ) -> any ByteTransport {
    let ends = MemoryTransport.pair()
    let executor = clock as? any TaskExecutor
    Task(executorPreference: executor) {
      await run(side, on: side == .accessory ? ends.accessory : ends.device, clock: clock, protocolName: protocolName)
    }
    return side == .accessory ? ends.device : ends.accessory
  }

  /// Runs a role on a transport until the transport ends.
  package static func run(
    _ side: Side, on transport: any ByteTransport, clock: any RuntimeClock, protocolName: String
  ) async {
    var options = RoleOptions()
    options.clock = clock
    switch side {
    case .accessory:
      var profile = HeadUnitProfile.standard(protocols: [protocolName], features: .all)
      profile.state.vehicleStatus.range = 400
      let headUnit = HeadUnit(profile: profile, options: options)
      await headUnit.serve(protocolName) { stream in
        while let bytes = await stream.read() { do { try await stream.write(bytes) } catch { return } }
      }
      _ = await headUnit.run(on: transport)
      headUnit.finish()
    case .device:
      var profile = PhoneProfile()
      profile.state.apps = [
        PhoneApp(
          name: "Conformance", bundleIdentifier: "com.example.conformance", protocols: [protocolName], isRunning: true)
      ]
      let phone = Phone(profile: profile, options: options)
      await phone.serve(protocolName) { stream in
        // Send a greeting, then echo.
        var bytes: [UInt8]? = Array("swift-iap2".utf8)
        while let answer = bytes {
          do { try await stream.write(answer) } catch { return }
          bytes = await stream.read()
        }
      }
      _ = await phone.run(on: transport)
      phone.finish()
    }
  }
}
