// swift-iap2 · Apache-2.0

import IAP2Transport
import Testing

@testable import IAP2Bluetooth

/// Attempts whose results the test gives, in order.
private struct Attempts {
  var results: [Result<Int, TransportError>]
  var pauses = 0

  /// Repeats attempts until one is final.
  mutating func run() throws(TransportError) -> Int {
    var (rest, pauses) = (results[...], 0)
    defer { (results, self.pauses) = (Array(rest), pauses) }
    let attempt = { () throws(TransportError) in try rest.removeFirst().get() }
    return try RefusedCall.repeating(pause: { pauses += 1 }, attempt)
  }
}

@Suite struct RefusedCallTests {
  private static let address = "rfcomm:00:AA:01:01:00:01"
  private static let refused = TransportError.bluetooth(.refused, address: address)

  @Test func aCallThatIsAcceptedIsNotRepeated() throws {
    var attempts = Attempts(results: [.success(7), .success(8)])
    #expect(try attempts.run() == 7)
    #expect(attempts.results.count == 1 && attempts.pauses == 0)
  }

  @Test func aRefusedCallIsRepeatedAfterAPause() throws {
    var attempts = Attempts(results: [.failure(Self.refused), .failure(Self.refused), .success(7)])
    #expect(try attempts.run() == 7)
    #expect(attempts.results.isEmpty && attempts.pauses == 2)
  }

  @Test func theLastRefusalIsReported() {
    var attempts = Attempts(results: Array(repeating: .failure(Self.refused), count: RefusedCall.attempts + 1))
    #expect(throws: Self.refused) { try attempts.run() }
    #expect(attempts.results.count == 1 && attempts.pauses == RefusedCall.attempts - 1)
  }

  @Test(arguments: [
    TransportError.bluetooth(.notPaired, address: address), .bluetooth(.adapterOff, address: address),
    .unreachable(address: address),
  ])
  func anotherFailureIsReportedAtOnce(failure: TransportError) {
    var attempts = Attempts(results: [.failure(failure), .success(7)])
    #expect(throws: failure) { try attempts.run() }
    #expect(attempts.results.count == 1 && attempts.pauses == 0)
  }
}
