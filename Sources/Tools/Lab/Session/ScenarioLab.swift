// swift-iap2 · Apache-2.0

/// The lab of a head unit and a phone in memory, which play a scenario and the steps of the page.
package final class ScenarioLab: LabSession {
  private let scenario: LabScenario
  private let hub: LabHub
  private let requests: AsyncStream<LabRequest>
  private let added: AsyncStream<LabRequest>.Continuation
  private let isPaused: Bool
  private let speed: Double

  /// The most requests that wait.
  private static let maximumRequests = 1000

  /// - Parameters:
  ///   - isPaused: Whether time stands still at the first step.
  ///   - speed: The speed of the time.
  package init(_ scenario: LabScenario, hub: LabHub, isPaused: Bool, speed: Double) {
    (self.scenario, self.hub, self.isPaused, self.speed) = (scenario, hub, isPaused, speed)
    (requests, added) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumRequests))
  }

  package func take(_ request: LabRequest) { added.yield(request) }

  /// Plays the scenario, and again after each restart, until the task is cancelled.
  package func run() async {
    var pace = (isPaused: isPaused, speed: speed)
    var wantsPNG = false
    var scenario = scenario
    var iterator = requests.makeAsyncIterator()
    while !Task.isCancelled {
      let life = ScenarioLife(scenario, hub: hub, isPaused: pace.isPaused, speed: pace.speed, wantsPNG: wantsPNG)
      let playing = Task { await life.play() }
      let drawing = Task { await life.draw() }
      var isRestarted = false
      while !isRestarted, let request = await iterator.next() {
        switch request {
        case .restart:
          life.keepRecording()
          isRestarted = true
        case .failure(let number):
          guard let profile = LabHello.Failure.profile(number) else { continue }
          life.keepRecording()
          scenario.toggle(profile)
          isRestarted = true
        default: await life.take(request)
        }
      }
      (pace, wantsPNG) = (life.pace, life.wantsPNG)
      playing.cancel()
      drawing.cancel()
      await playing.value
      await drawing.value
    }
  }
}
