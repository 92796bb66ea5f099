// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

// File transfers between the endpoint and the policy.
extension Connection {
  func fileInput(_ event: FileTransferEvent, _ bytes: [UInt8]) -> FileInput? {
    switch event {
    case .offered(let id, let setup): .offered(id: id, setup)
    case .data(let id, let payload, let isLast):
      .data(id: id, [UInt8](copying: endpoint.bytes(of: payload, in: bytes.rawBytes)), isLast: isLast)
    case .delivered(let id): .delivered(id: id)
    case .failed(let id): .failed(id: id)
    case .cancelled(let id): .cancelled(id: id)
    case .refused, .paused: nil
    }
  }

  /// A step of a file transfer; one that the link has no session for, or that came too late, is told.
  func move(_ step: (inout Endpoint) throws(APIMisuse) -> Void) {
    do { try step(&endpoint) } catch { tell(.violation(.fileTransferNotPossible)) }
  }
}
