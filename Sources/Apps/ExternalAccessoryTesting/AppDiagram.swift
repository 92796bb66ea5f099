// swift-iap2 · Apache-2.0

import AccessoryPlatform
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
    func step(
      _ kind: SequenceDiagram.AppStep.Kind, _ name: String, _ detail: String = "", isProblem: Bool = false
    ) -> SequenceDiagram.AppStep {
      let place = connectionID == 0 ? "" : "\(accessory ?? "accessory") \(connectionID)"
      let text = [detail, place].filter { !$0.isEmpty }.joined(separator: ", ")
      return SequenceDiagram.AppStep(kind, name, text, isProblem: isProblem)
    }
    switch event {
    case .connected: return step(.notification, "connected")
    case .disconnected: return step(.notification, "disconnected")
    case .connectNotified: return step(.notification, "EAAccessoryDidConnect")
    case .disconnectNotified: return step(.notification, "EAAccessoryDidDisconnect")
    case .sessionOpened(let name): return step(.call, "EASession", name)
    case .sessionRefused(let name, let reason):
      return step(.call, "EASession", "nil: \(reason.rawValue), \(name)", isProblem: true)
    case .sessionClosed(let name): return step(.notification, "session ended", name)
    case .streamOpened(let side, let name): return step(.call, "\(side.rawValue) open", name)
    case .streamEvent(let side, let name, let event): return step(.event, "\(side.rawValue) \(event.rawValue)", name)
    case .streamClosed(let side, let name): return step(.call, "\(side.rawValue) close", name)
    case .eventsNotTaken(let side, let name):
      return step(.event, "\(side.rawValue) events", "no run loop took them, \(name)", isProblem: true)
    case .usedOnOtherThread(let side, let name):
      return step(.call, "\(side.rawValue) use", "outside the thread of its run loop, \(name)", isProblem: true)
    case .replayDiffered(let text): return step(.notification, "recording differs", text, isProblem: true)
    case .scenarioFailed(let text): return step(.notification, "scenario failed", text, isProblem: true)
    case .scenarioCompleted: return step(.notification, "scenario completed")
    case .enteredBackground: return step(.notification, "background")
    case .enteredForeground: return step(.notification, "foreground")
    case .suspended: return step(.notification, "suspended")
    case .resumed: return step(.notification, "resumed")
    }
  }
}
