// swift-iap2 · Apache-2.0

import AccessoryPlatform
import Basics
import Foundation
import IAP2Analysis

extension AccessoryBench {
  /// The format of a diagram.
  public enum DiagramFormat: Sendable {
    /// A picture, with the details of a step as its title.
    case svg
    /// A page with the same picture, which finds steps by words and shows and hides kinds of steps.
    case html
  }

  /// Returns the ``log`` as a sequence diagram of the app and its phone, as a single file without dependencies.
  ///
  /// - Parameters:
  ///   - format: The format of the file.
  ///   - title: The title, such as the name of the test.
  public static func diagram(_ format: DiagramFormat, title: String = "App") -> String {
    let entries = log
    var names: [Int: String] = [:]
    for entry in entries { if case .connected(let name) = entry.event { names[entry.connectionID] = name } }
    let steps = entries.map { entry in
      (step: entry.step(names[entry.connectionID]), time: entry.time / .seconds(1))
    }
    let diagram = SequenceDiagram(appSteps: steps)
    let document = DiagramDocument(
      name: title, diagram: diagram, transports: ["the app and its phone"], start: nil, time: .folded(pause: 0.2))
    var text = ""
    document.write(format == .svg ? .svg : .html) { text += $0 }
    return text
  }

  /// Writes the ``log`` as a sequence diagram to a file, in the format of its name: `.svg` or `.html`.
  ///
  /// - Throws: ``AccessoryBenchError`` if the name has another extension, or the file cannot be written.
  public static func writeDiagram(to path: String, title: String = "App") throws(AccessoryBenchError) {
    guard let format = DiagramDocument.Format(path: path) else {
      throw AccessoryBenchError(description: "\(path): the name of a diagram ends in .svg or .html")
    }
    do {
      try Data(diagram(format == .svg ? .svg : .html, title: title).utf8).write(to: URL(filePath: path))
    } catch { throw AccessoryBenchError(description: "\(path) cannot be written") }
  }
}

extension PlatformLogEntry {
  /// Returns the entry as a step of a diagram.
  ///
  /// - Parameter accessory: The name of its accessory.
  fileprivate func step(_ accessory: String?) -> SequenceDiagram.AppStep {
    let record = event.record
    let words = record.text.split(separator: ": ", maxSplits: 1).map(String.init)
    let place = connectionID == 0 ? "" : "\(accessory ?? "accessory") \(connectionID)"
    // The name of an accessory that connects is its place.
    let detail = if case .connected = event { "" } else { words.count > 1 ? words[1] : "" }
    return SequenceDiagram.AppStep(
      event.kind, words[0], [detail, place].filter { !$0.isEmpty }.joined(separator: ", "),
      isProblem: record.declaration.severity == .warning)
  }
}

extension PlatformLogEntry.Event {
  /// The kind of the event's step in a diagram.
  fileprivate var kind: SequenceDiagram.AppStep.Kind {
    switch self {
    case .sessionOpened, .sessionRefused, .streamOpened, .streamClosed, .usedOnOtherThread: .call
    case .streamEvent, .eventsNotTaken: .event
    case .connected, .disconnected, .connectNotified, .disconnectNotified, .sessionClosed, .replayDiffered,
      .scenarioFailed, .scenarioCompleted, .enteredBackground, .enteredForeground, .suspended, .resumed:
      .notification
    }
  }
}
