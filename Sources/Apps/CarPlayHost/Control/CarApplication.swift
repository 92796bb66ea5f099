// swift-iap2 · Apache-2.0

import Basics
import CarPlay
import CarPlayPlatform
public import Foundation
import Glibc

/// The main program of an app that another program drives, such as `iap2 car`.
///
/// ```swift
/// @main enum RadioApp {
///   static func main() {
///     CarApplication.run(CarApp([.audio], name: "Radio") { RadioScene() })
///   }
/// }
/// ```
public enum CarApplication {
  /// Runs an app until the program that drives it closes the connection.
  ///
  /// The function serves the main run loop, as `UIApplicationMain` does, so timers run. The calling `main` must not be
  /// `async`, because an `async` one serves the main queue on other threads. The connection is the socket that the
  /// environment variable `CarControl.variable` of `CarPlayPlatform` names. Without the variable the program prints how
  /// to drive it and exits with 64. A fault in a file of the app ends it with 65.
  public static func run(_ app: @autoclosure @MainActor () throws -> CarApp) -> Never {
    guard let text = ProcessInfo.processInfo.environment[CarControl.variable] else {
      let program = CommandLine.arguments.first ?? "APP"
      end(64, "this app runs in an emulated car; drive it with: iap2 car \(program)")
    }
    guard let wire = Int32(text).flatMap(ControlWire.init) else {
      end(64, "\(CarControl.variable)=\(text) is not an open stream socket")
    }
    guard Thread.isMainThread else {
      end(64, "CarApplication.run serves the main run loop: call it from a main() that is not async")
    }
    do {
      try MainActor.assumeIsolated {
        let server = CarServer(app: try app()) { wire.send($0) }
        Task {
          await server.serve(wire.lines())
          exit(0)
        }
      }
    } catch {
      let text = (error as? CarFileProblem)?.description ?? "\(error)"
      wire.send(.badInput(CarReport.BadInput(text: text)))
      end(65, text)
    }
    RunLoop.main.run()
    dispatchMain()
  }

  /// Runs an app that its files describe. The delegates come from `SceneDelegateRegistry`.
  ///
  /// - Parameters:
  ///   - infoPlist: The app's Info.plist.
  ///   - entitlements: The file with the entitlements of the app's signature.
  ///   - name: The name under the icon.
  public static func run(infoPlist: URL, entitlements: URL, name: String = "App") -> Never {
    run(
      CarApp(
        name: name, entitlements: try Entitlements.read(contentsOf: entitlements),
        manifest: try AppManifest(contentsOf: infoPlist)))
  }

  /// Reports to the car that the app's renderer draws a frame on the GPU. A car with the fault `denyGPUInBackground`
  /// ends an app that does so in the background. The call has no effect without a car.
  @MainActor public static func submitFrame() { (CarPlayModule.system as? CarHost)?.submitFrame() }

  private static func end(_ code: Int32, _ text: String) -> Never {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
    exit(code)
  }
}
