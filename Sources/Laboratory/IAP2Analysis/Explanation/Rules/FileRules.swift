// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

// The rules of file transfers.
extension SessionRule {
  static let fileID = SessionRule(
    "file-id-range", .features, "Files of the device have the ids 128 to 255, files of the accessory 0 to 127.",
    "FileTransfer.md#ids and FileTransfer.md#wrong-range", .medium,
    repair: "Take the id of a file from the range of its sender.", effect: .fails, isLocal: true)

  static let fileOrder = SessionRule(
    "file-order", .features, "A file is offered, started, sent from its first to its last piece, and confirmed.",
    "FileTransfer.md#order", .high,
    repair: "Send Setup, wait for Start, then mark the first piece with 80 and the last one with 40.", effect: .fails)

  static let fileSize = SessionRule(
    "file-size", .features, "A file has as many bytes as its Setup says.", "inferred from FileTransfer.md#setup-size",
    .medium,
    repair: "Let the size in Setup be the number of bytes that follow, and send all of them.", effect: .fails)

  static let fileAnswered = SessionRule(
    "file-step-owed", .features,
    "Unless it is cancelled, Setup and Pause are followed by Start, Start by all data, and the last piece by Success or"
      + " Failure.", "FileTransfer.md#order and, for Pause, FileTransfer.md#resume (low)", .medium,
    repair: "Send the next step of the file, or Cancel.", effect: .decides)
}

/// A file of the file transfer session, as far as its rules depend on it.
struct FileStates: Sendable {
  struct State: Sendable {
    var sender: Side
    var announced: UInt64
    var received: UInt64 = 0
    var isStarted = false
    var isPaused = false
    var hasPieces = false
  }

  var states: [UInt8: State] = [:]
  /// The seconds after which a paused file counts as forgotten.
  /// Unverified: no source states a limit.
  static let pauseSeconds = 20.0
  /// The ids that had a Setup.
  var offered: Set<UInt8> = []
  /// The files that were cancelled or failed: data that was under way may follow.
  var ended: Set<UInt8> = []
}

extension LinkHistory {
  /// Judges a datagram by the state of its file.
  mutating func judge(file id: UInt8, _ operation: FileTransferOperation, _ data: RawSpan, at place: DecodedPlace) {
    guard reset == nil else { return }
    ledger.countStep(place.from)
    let object = Int(id)
    guard operation.isData else {
      return judgeControl(of: id, operation, data, at: place)
    }
    guard var file = files.states[id], file.sender == place.from else {
      guard hasBeginning, !files.ended.contains(id) else { return }
      return ledger.addBreach(.fileOrder, .file, object: object, place, "data of file \(id) came without Setup")
    }
    // The receiver owes the Start, and data that was under way does not change that.
    if !file.isPaused { ledger.removeOwed(.fileAnswered, object: object) }
    if !file.isStarted {
      ledger.addBreach(.fileOrder, .file, object: object, place, "data of file \(id) came before Start")
    }
    let isFirst = operation.rawValue & FileTransferOperation.firstData.rawValue != 0
    if isFirst == file.hasPieces, file.isStarted {
      ledger.addBreach(
        .fileOrder, .file, object: object, place,
        isFirst ? "a later piece of file \(id) is marked as the first" : "the first piece of file \(id) is not marked")
    }
    file.hasPieces = true
    file.received += UInt64(data.byteCount)
    files.states[id] = file
    let text = "file \(id) has \(file.received) bytes so far, and its Setup says \(file.announced)"
    if file.announced > 0, operation.isLast ? file.received != file.announced : file.received > file.announced {
      ledger.addBreach(.fileSize, .file, object: object, place, text)
    }
    guard !file.isPaused else { return }
    guard operation.isLast else {
      // The sender itself owes the rest.
      return ledger.addOwed(
        .fileAnswered, by: place.from, .file, object: object, since: place, "the rest of file \(id) did not come")
    }
    ledger.addOwed(
      .fileAnswered, by: place.from.peer, .file, object: object, since: place,
      "the last piece of file \(id) has no Success or Failure")
  }

  private mutating func judgeControl(
    of id: UInt8, _ operation: FileTransferOperation, _ data: RawSpan, at place: DecodedPlace
  ) {
    let object = Int(id)
    if operation == .failure || operation == .cancel {
      ledger.abandonOwed(.fileAnswered, object: object, at: place)
      files.states[id] = nil
      files.ended.insert(id)
      return
    }
    ledger.removeOwed(.fileAnswered, object: object)
    switch operation {
    case .setup:
      ledger.removeOwed(.artworkSent, object: object)
      files.offered.insert(id)
      files.ended.remove(id)
      files.states[id] = FileStates.State(sender: place.from, announced: FileTransferSetup(data)?.byteCount ?? 0)
      if (id >= 0x80) != (place.from == .device) {
        ledger.addBreach(
          .fileID, .file, object: object, place, "the \(place.from.rawValue) offers a file with the id \(id)")
      }
      ledger.addOwed(
        .fileAnswered, by: place.from.peer, .file, object: object, since: place,
        "the Setup of file \(id) has no Start or Cancel")
    case .start:
      guard let file = files.states[id], file.sender == place.from.peer else { return }
      files.states[id]?.isStarted = true
      files.states[id]?.isPaused = false
      ledger.addOwed(
        .fileAnswered, by: place.from.peer, .file, object: object, since: place, "the Start of file \(id) has no data")
    case .success:
      guard let file = files.states.removeValue(forKey: id), file.sender == place.from.peer else { return }
      guard file.announced > 0, file.received != file.announced else { return }
      ledger.addBreach(
        .fileOrder, .file, object: object, place,
        "Success of file \(id) came after \(file.received) of \(file.announced) bytes")
    case .pause:
      guard files.states[id]?.sender == place.from.peer else { return }
      files.states[id]?.isPaused = true
      // The receiver itself owes the Start.
      ledger.addOwed(
        .fileAnswered, by: place.from, .file, object: object, since: place, wait: FileStates.pauseSeconds,
        "the Pause of file \(id) has no Start")
    default: return
    }
  }
}
