// swift-iap2 · Apache-2.0

import Bonjour
import CarPlaySession
import Testing

/// A directory on a machine without Avahi. With Avahi it is tried by `tools/check discovery`.
@Suite struct AvahiDirectoryTests {
  @Test func withoutABusTheNextStepIsSaid() throws {
    let problem = #expect(throws: DirectoryProblem.self) {
      try AvahiDirectory(searching: [.airPlay], bus: "unix:path=/nonexistent/bus") { _ in }
    }
    #if Bluetooth
      #expect(problem == .noDaemon)
    #else
      #expect(problem == .notBuilt)
    #endif
    #expect(problem?.explanation.contains(": ") == true)
  }
}
