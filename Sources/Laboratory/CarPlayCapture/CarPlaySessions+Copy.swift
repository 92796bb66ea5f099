// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Capture

// The copy of the capture with its sessions in the clear.
extension CarPlaySessions {
  /// Copies bytes of a connection that belongs to no session, as far as is known.
  mutating func copyUndecided(_ bytes: [UInt8], of number: Int, isClient: Bool) {
    guard copy != nil else { return }
    let end = isClient ? connections[number].client : connections[number].server
    copy?.add(PlainBytes.Piece(bytes: bytes), of: number, from: end, nil)
    if case .ignored = connections[number].role { copy?.leave(number) }
  }

  /// Copies bytes of a connection whose purpose is not known.
  mutating func copySealed(_ bytes: [UInt8], of number: Int, isClient: Bool, _ session: Int) {
    guard copy != nil else { return }
    let end = isClient ? connections[number].client : connections[number].server
    let source = DecryptedOutput.Source(session: session, name: "a connection whose set-up is sealed")
    copy?.add(PlainBytes.Piece(bytes: bytes, mark: .sealed), of: number, from: end, source)
  }

  /// Copies what became ready on a connection of a session, that of one side first.
  mutating func copyPlain(of number: Int, first: SessionSide = .phone) {
    guard copy != nil else { return }
    let (client, server) = (connections[number].client, connections[number].server)
    for side in [first, first.other] {
      let (session, name, pieces): (Int, String, [PlainBytes.Piece]?)
      switch connections[number].role {
      case .control(let place):
        (session, name, pieces) = (place, "control", sessions[place].control.directions[side].plain?.take())
      case .socket(let place, .events):
        (session, name, pieces) = (place, "events", sessions[place].events?.directions[side].plain?.take())
      case .socket(let place, .stream(let stream)):
        (session, name) = (place, sessions[place].streams[stream].name)
        pieces = sessions[place].streams[stream].plain[side]?.take()
      case .undecided, .ignored, .call, .late, .socket, .unknown: return
      }
      let source = DecryptedOutput.Source(session: session, name: name)
      for piece in pieces ?? [] { copy?.add(piece, of: number, from: side == .phone ? client : server, source) }
    }
  }

  /// Copies the bytes of a connection that wait for more of them.
  mutating func copyRest(of number: Int) {
    guard copy != nil else { return }
    for side in SessionSide.allCases {
      switch connections[number].role {
      case .control(let session): sessions[session].control.directions[side].plain?.flush()
      case .socket(let session, .events): sessions[session].events?.directions[side].plain?.flush()
      case .socket(let session, .stream(let stream)): sessions[session].streams[stream].plain[side]?.flush()
      case .undecided, .ignored, .call, .late, .socket, .unknown: return
      }
    }
    copyPlain(of: number)
  }
}
