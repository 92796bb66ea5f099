// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation
import Glibc

/// The main program of an app that is driven from outside, such as by `iap2 car`.
///
/// ```swift
/// await CarApplication.run(CarApp([.audio], name: "Radio") { RadioScene() })
/// ```
@MainActor
public enum CarApplication {
  /// Runs an app until the program that drives it closes the connection.
  ///
  /// The connection is the socket that the variable ``CarPlayPlatform/CarControl/variable`` names. Without the variable
  /// the program says how to drive it, and ends with 64. A fault in a file of the app ends it with 65.
  public static func run(_ app: @autoclosure () throws -> CarApp) async -> Never {
    guard let text = ProcessInfo.processInfo.environment[CarControl.variable] else {
      let program = CommandLine.arguments.first ?? "APP"
      end(64, "this app runs in an emulated car; drive it with: iap2 car \(program)")
    }
    guard let wire = Int32(text).flatMap(ControlWire.init) else {
      end(64, "\(CarControl.variable)=\(text) is not an open stream socket")
    }
    do {
      MainRunLoop.serve()
      await CarServer(app: try app()) { wire.send($0) }.serve(wire.lines())
      exit(0)
    } catch let problem as CarFileProblem {
      wire.send(.badInput(CarReport.BadInput(text: problem.description)))
      end(65, problem.description)
    } catch { end(65, "\(error)") }
  }

  /// Runs an app that is described by its files. Its delegates are those of `SceneDelegateRegistry`.
  ///
  /// - Parameters:
  ///   - infoPlist: The app's Info.plist.
  ///   - entitlements: The file with the entitlements of the app's signature.
  ///   - name: The name under the icon.
  public static func run(infoPlist: URL, entitlements: URL, name: String = "App") async -> Never {
    await run(
      CarApp(
        name: name, entitlements: try Entitlements.read(contentsOf: entitlements),
        manifest: try AppManifest(contentsOf: infoPlist)))
  }

  private static func end(_ code: Int32, _ text: String) -> Never {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
    exit(code)
  }
}

/// The timers of the main run loop: an asynchronous `main` serves the main queue, but no run loop.
@MainActor
private enum MainRunLoop {
  /// The time between two looks for timers that are due; a screen changes no faster.
  private static let milliseconds = 10

  /// Serves the timers until the process ends.
  static func serve() {
    _ = RunLoop.main.run(mode: .default, before: .distantPast)
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { serve() }
  }
}
