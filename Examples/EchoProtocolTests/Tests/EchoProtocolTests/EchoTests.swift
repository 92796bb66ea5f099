import IAP2Testing
import Testing

/// Your accessory's protocol: answers each line in capitals.
@Sendable func shout(_ session: ExternalAccessoryStream) async {
  while let bytes = await session.read() {
    let answer = bytes.map { (97...122).contains($0) ? $0 - 32 : $0 }
    do { try await session.write(answer) } catch { return }
  }
}

@Test func theAccessoryShoutsBack() throws {
  let answer = try Loopback.run("com.example.shout", accessory: shout) { session in
    try await session.write(Array("hello".utf8))
    return await session.read()
  }
  #expect(answer == Array("HELLO".utf8))
}
