import IAP2Runtime
import IAP2Sockets
import Testing

@testable import head_unit

@Test func aPhoneGetsItsBytesBack() async throws {
  // Port 0 lets the system choose a free port; the opened address has it.
  let source = try await TransportAddress(parsing: "tcp-listen:127.0.0.1:0").open()
  let serving = Task { try await HeadUnitOverTCP.serve(source) { _ in } }

  let dialed = source.address.replacing("tcp-listen:", with: "tcp:")
  let connection = try await TransportAddress(parsing: dialed).open()
  let transport = try #require(try await connection.next())
  let phone = Phone()
  async let result = phone.run(on: transport)
  for await event in phone.events where event.event == .connected { break }

  #expect(await phone.identification?.supportedExternalAccessoryProtocol.count == 1)
  let session = try await phone.open("com.example.echo")
  try await session.write(Array("hello".utf8))
  #expect(await session.read() == Array("hello".utf8))
  await phone.disconnect()
  #expect(await result.wasIdentified)
  await source.close()
  try await serving.value
}
