// swift-iap2 · Apache-2.0

import IAP2
import IAP2Analysis
import IAP2Capture

/// Text of the steps, differences and notes of a replay.
package enum ReplayWords {
  package static func session(_ index: Int, _ script: ReplayScript) -> String {
    ComparisonWords.name(script.sessions[index])
  }

  /// Returns the name of a step and its record.
  package static func name(_ step: ReplayScript.Step, _ script: ReplayScript) -> String {
    switch step.content {
    case .message(let bytes): ComparisonWords.message(ControlHeader.id(of: bytes)) + ", record \(step.record)"
    case .data(let session, let bytes): "\(bytes.count) bytes of \(self.session(session, script))"
    case .file(let index): "file \(script.files[index].id)"
    case .end: "the end of the link"
    }
  }

  // MARK: Differences

  package static func subject(_ difference: ReplayDifference, _ script: ReplayScript) -> String {
    switch difference.subject {
    case .message(let id): ComparisonWords.message(id)
    case .externalAccessory(let index): "EA session of \(session(index, script))"
    case .file(let id): "file \(id)"
    case .connection: "connection"
    }
  }

  package static func what(_ difference: ReplayDifference) -> String {
    switch difference.kind {
    case .missing: return "missing: it is in the recording and was not received"
    case .extra: return "extra: it was received and is not in the recording"
    case .order: return "order: in the recording it precedes messages that were received earlier"
    case .parameter(let parameter): return "\(ComparisonWords.path(parameter)): \(values(parameter))"
    case .messageBytes: return "bytes outside of parameters"
    case .identifier(let space, let recorded, let live):
      return "\(ComparisonWords.identifier(space)): \(FeatureValues.text(recorded)) was not"
        + " \(FeatureValues.text(live)) before"
    case .data(let place, let recorded, let live), .fileData(let place, let recorded, let live):
      return "recorded \(recorded) bytes, live \(live), \(ComparisonWords.place(place))"
    case .fileSetup(let recorded, let live):
      return "recorded \(ComparisonWords.setup(recorded)), live \(ComparisonWords.setup(live))"
    case .fileOutcome(let recorded, let live): return "recorded \(recorded.rawValue), live \(live.rawValue)"
    case .authentication(let reason): return "rejected: \(reason)"
    case .connection(let unsent):
      return unsent == 0
        ? "the link did not come up" : "ended before \(unsent) step\(unsent == 1 ? " was" : "s were") sent"
    }
  }

  private static func values(_ difference: ParameterDifference) -> String {
    switch (difference.a, difference.b) {
    case (.list(let a), .list(let b)) where difference.isSet:
      let parts = [("only recorded", Set(a).subtracting(b)), ("only live", Set(b).subtracting(a))]
      return parts.filter { !$0.1.isEmpty }.map { name, ids in
        "\(name): " + ids.sorted().map(DecodedText.messageName).joined(separator: ", ")
      }.joined(separator: "; ")
    case (.bytes(let a), .bytes(let b)) where max(a.count, b.count) > 32:
      let offset = zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(a.count, b.count)
      return "recorded \(a.count) bytes, live \(b.count), different from byte \(offset) on"
    case (.some(let a), .some(let b)): return "recorded \(FeatureValues.text(a)), live \(FeatureValues.text(b))"
    case (.some(let a), nil): return "only recorded: \(FeatureValues.text(a))"
    case (nil, .some(let b)): return "only live: \(FeatureValues.text(b))"
    case (nil, nil): return ""
    }
  }

  package static func text(_ note: ReplayNote, _ script: ReplayScript) -> String {
    switch note {
    case .recordedAuthentication(let id, let reason):
      return "\(ComparisonWords.message(id)) is sent as recorded" + (reason.map { ": \($0)" } ?? "")
        + (origin(ofAuthentication: id).map { "; \($0)" } ?? "")
    case .answeredAlone(let id): return "\(ComparisonWords.message(id)) is answered; the recording does not have it"
    case .incompleteFile(let id): return "the recording does not have all of file \(id)"
    case .unsentData(let index):
      return "the EA session of \(session(index, script)) was closed before all data was sent"
    case .unplayed(let count, .link): return "\(steps(count)) after the first link not played"
    case .unplayed(0, .limit): return "the recording exceeds the data limit: the rest is not played"
    case .unplayed(let count, .limit): return "the recording exceeds a limit: \(steps(count)) not played"
    }
  }

  private static func steps(_ count: Int) -> String { count == 1 ? "1 step is" : "\(count) steps are" }

  /// Returns the reason why a recorded authentication message may fail; nil for other messages.
  private static func origin(ofAuthentication id: UInt16) -> String? {
    switch id {
    case RequestAuthenticationChallengeResponse.id: "it is the challenge of another session"
    case AuthenticationResponse.id: "it signs the challenge of another session"
    case AuthenticationCertificate.id, AccessoryAuthenticationSerialNumber.id:
      "it belongs to the recorded accessory"
    default: nil
    }
  }
}
