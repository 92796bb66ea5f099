// A head unit that listens on TCP, echoes the bytes of an EA protocol and prints its events:
//
//     swift run head-unit tcp-listen:127.0.0.1:7000

import IAP2Runtime
import IAP2Sockets

@main
struct HeadUnitOverTCP {
  static func main() async throws {
    let text = CommandLine.arguments.dropFirst().first ?? "tcp-listen:127.0.0.1:7000"
    let source = try await TransportAddress(parsing: text).open()
    print("listening at \(source.address)")
    try await serve(source) { print($0.time.seconds, $0.event.name) }
  }

  /// Serves one phone after another until the source is closed.
  static func serve(_ source: any TransportSource, report: @escaping @Sendable (TimedEvent) -> Void) async throws {
    let headUnit = HeadUnit(profile: .standard(protocols: ["com.example.echo"]))
    await headUnit.serve("com.example.echo") { session in
      while let bytes = await session.read() {
        do { try await session.write(bytes) } catch { return }
      }
    }
    let events = Task { for await event in headUnit.events { report(event) } }
    while let transport = try await source.next() { _ = await headUnit.run(on: transport) }
    headUnit.finish()
    await events.value
  }
}
