// swift-iap2 · Apache-2.0

package import CarPlayControl
import Foundation

/// A run of an app in a car that is written into reports.
package final class ReportedCar: Sendable {
  /// The session. For a page it draws pictures, if a program for that is there.
  package let session: CarSession
  private let recorder: RunRecorder
  /// The folder of pictures that are only for the page.
  private let folder: URL?

  package init(_ session: CarSession, title: String, hasPage: Bool) {
    recorder = RunRecorder(title: title)
    var session = session
    if hasPage, session.pictures == nil {
      let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-report-\(UUID().uuidString)")
      session.pictures = CarPictureChoice(folder: folder.path(percentEncoded: false), isOptional: true)
      self.folder = folder
    } else {
      folder = nil
    }
    self.session = session
  }

  deinit {
    guard let folder else { return }
    // Without a program that draws there is no folder.
    do { try FileManager.default.removeItem(at: folder) } catch {}
  }

  package func show(_ line: CarLine) {
    switch line {
    case .car(let name): recorder.begin(name)
    case .finished(let failure, let time): recorder.end(failure: failure, seconds: time)
    default:
      beginIfNeeded()
      for row in line.reportRows { recorder.add(row) }
    }
  }

  package func add(picture path: String) {
    beginIfNeeded()
    let file = URL(filePath: path)
    let isSVG = file.pathExtension == "svg"
    do {
      let bytes = try Data(contentsOf: file)
      recorder.add(
        RunReport.Picture(
          name: file.lastPathComponent, type: isSVG ? "image/svg+xml" : "image/png", bytes: Array(bytes)))
    } catch {
      // A picture that was removed by others is not in the page.
    }
  }

  private func beginIfNeeded() {
    recorder.beginFirst(session.scenario ?? session.app)
  }

  /// Returns the report of the whole run.
  package func report(_ failure: CarFailure?) -> RunReport {
    beginIfNeeded()
    recorder.change { report in
      report.facts += ReportFacts.all
      guard let failure else { return }
      // A run that did not begin has no end of its own.
      let place = report.parts.firstIndex { $0.failure != nil } ?? report.parts.count - 1
      report.parts[place].failure = report.parts[place].failure ?? failure.description
      report.parts[place].details = failure.details
    }
    return recorder.report
  }
}
