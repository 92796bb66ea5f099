// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation
import IAP2Roles

extension CarServer {
  /// Handles a line about the phone's transport. Lines of a former connection have no effect.
  func takeTransport(_ action: CarAction) {
    guard let host, let input = action.choice("input", CarTransport.Input.self) else { return }
    let number = action.whole("connection") ?? 0
    switch input {
    case .use:
      guard !host.isOnTransport else { return }
      host.takeTurn()
      host.runInRealTime()
      host.useTransport { [weak self] work in self?.report(work) }
    case .opened:
      connection = number
      take(
        .opened(
          action.text("address") ?? "", identifyTimeout: action.number("seconds").map { .seconds($0) }), host)
    case .received:
      if number == connection { take(.received(action.bytes("bytes") ?? []), host) }
      send(.transport(CarTransport.Work(.taken, connection: number)))
    case _ where number != connection: break
    case .sent: take(.sent, host)
    case .checked:
      let reason = action.text("reason")
      take(.answer(.certificateChecked(challenge: reason == nil ? action.bytes("bytes") : nil, reason: reason)), host)
    case .verified:
      let reason = action.text("reason")
      take(.answer(.responseChecked(isValid: reason == nil, reason: reason)), host)
    case .disconnect: take(.disconnect, host)
    case .ended: take(.ended, host)
    }
  }

  private func take(_ input: TransportInput, _ host: CarHost) {
    host.catchUp()
    host.take(input)
  }

  private func report(_ work: TransportLink.Work) {
    var line = CarTransport.Work(.close, connection: connection)
    switch work {
    case .send(let bytes):
      line.work = .send
      line.bytes = Data(bytes)
    case .check(let certificate):
      line.work = .check
      line.certificate = Data(certificate)
    case .verify(let response, let challenge, let certificate):
      line.work = .verify
      line.bytes = Data(response)
      line.challenge = Data(challenge)
      line.certificate = Data(certificate)
    case .close: break
    }
    send(.transport(line))
  }
}
