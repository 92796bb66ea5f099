// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation
import IAP2Authentication
import IAP2Transport
import IAP2Transports

extension CarRun {
  /// The time limit for the head unit in a step that needs it. `iap2 phone` waits for identification equally long.
  private static let connectSeconds = 60.0
  /// The time limit for a clean end. The session has 2 s for each of its two parts.
  private static let endLimit = Duration.seconds(5)

  /// Connects the app's phone to a transport. The car must exist.
  func use(_ carrier: TransportCarrier) throws(CarFailure) {
    self.carrier = carrier
    child.transport = carrier.descriptor
    try sendInput(.use)
    carrier.start()
  }

  /// Waits until the head unit on the transport has connected. Returns the reason if it does not connect.
  func waitForHeadUnit(_ carrier: TransportCarrier) throws(CarFailure) -> String? {
    let deadline = ContinuousClock.now.advanced(by: .seconds(Self.connectSeconds))
    while !car.state.isConnected {
      let left = ContinuousClock.now.duration(to: deadline) / .seconds(1)
      guard left > 0 else { return "no head unit connected within \(Int(Self.connectSeconds)) s" }
      guard !isTransportOver else { return "the transport has ended, and no head unit connects any more" }
      _ = try perform(CarAction(.watch, ["seconds": .number(min(left, Self.lookSeconds))]))
    }
    return nil
  }

  /// The time between two checks whether the transport has ended.
  private static let lookSeconds = 0.5

  // MARK: Both directions

  /// Passes the events of the transport to the app.
  func carry() throws(CarFailure) {
    for event in carrier?.events() ?? [] {
      switch event {
      case .opened(let number, let address):
        var arguments: [String: CarValue] = ["address": .text(Self.cut(address))]
        let limit = carrier?.choice.address.defaultTimeout
        if let limit { arguments["seconds"] = .number(limit / .seconds(1)) }
        openConnection = number
        try sendInput(.opened, number, arguments)
      case .received(let number, let bytes):
        try sendInput(.received, number, ["bytes": .text(Data(bytes).base64EncodedString())])
      case .sent(let number): try sendInput(.sent, number)
      case .ended(let number):
        openConnection = nil
        try sendInput(.ended, number)
      case .failed(let error):
        let text = AnyTransportAddress.explanation(of: error)
        if case .permissionDenied = error { throw CarFailure(.noPermission, text) }
        throw CarFailure(.unavailable, text)
      case .over: isTransportOver = true
      }
    }
  }

  /// Performs work of the app on the transport.
  func take(_ work: CarTransport.Work) throws(CarFailure) {
    guard let carrier else { throw child.ending("the app sent work on a transport, and there is none") }
    let number = work.connection
    let bytes = [UInt8](work.bytes ?? Data())
    let certificate = [UInt8](work.certificate ?? Data())
    let verifier = carrier.choice.verifier
    switch work.work {
    case .send: carrier.send(bytes, on: number)
    case .taken: carrier.taken(on: number)
    case .close: carrier.close(number)
    case .check:
      var answer: [String: CarValue]
      do {
        let count = try verifier.challengeByteCount(for: certificate)
        var generator = SystemRandomNumberGenerator()
        let challenge = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        answer = ["bytes": .text(Data(challenge).base64EncodedString())]
      } catch { answer = ["reason": .text(Self.cut("\(error)"))] }
      try sendInput(.checked, number, answer)
    case .verify:
      var answer: [String: CarValue] = [:]
      do {
        let challenge = [UInt8](work.challenge ?? Data())
        try verifier.verify(response: bytes, challenge: challenge, certificate: certificate)
      } catch { answer = ["reason": .text(Self.cut("\(error)"))] }
      try sendInput(.verified, number, answer)
    }
  }

  /// Ends the connection cleanly, so that the head unit is notified as by a phone.
  func endTransport() {
    guard let number = openConnection, !child.isEnded else { return }
    do throws(CarFailure) {
      try sendInput(.disconnect, number)
      let deadline = ContinuousClock.now.advanced(by: Self.endLimit)
      while openConnection != nil, ContinuousClock.now < deadline {
        switch try child.next(until: deadline, isEnding: true) {
        case .transport: try carry()
        case .report(.transport(let work)): try take(work)
        case .report, .output, .input, .timeout: break
        }
      }
    } catch {
      // The app has ended, and the transport ends with it.
    }
  }

  /// Sends a line that has no answer.
  private func sendInput(
    _ input: CarTransport.Input, _ connection: Int = 0, _ arguments: [String: CarValue] = [:]
  ) throws(CarFailure) {
    var action = CarAction(.transport, arguments)
    action.arguments["input"] = .text(input.rawValue)
    action.arguments["connection"] = .number(Double(connection))
    try child.send(CarRequest(id: 0, action))
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count <= CarVerbForm.maximumTextByteCount
      ? text : String(text.prefix(CarVerbForm.maximumTextByteCount / 4))
  }
}
