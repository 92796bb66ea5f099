// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

@testable import TalkCode

/// There is one phone in a process, so its tests run one after another.
@MainActor @Suite(.serialized) struct TalkAppTests {
  /// Launches the app in a car with a head unit.
  private func drive(_ talk: Talk) async -> Car {
    let car = Car(.standard)
    var app = CarApp([.communication], name: "Talk") { CarSceneDelegate(talk) }
    app.entitlements.insert("com.apple.developer.siri")
    app.intents = { IntentHandler(talk) }
    await car.attachHeadUnit()
    await car.launch(app)
    return car
  }

  @Test("A call is answered, held, muted and ended at the head unit")
  func callAtTheHeadUnit() async {
    let talk = Talk()
    let car = await drive(talk)
    talk.calls.ring(.ann)
    await car.wait(.seconds(1))
    #expect(car.headUnit.calls.map(\.name) == ["Ann Miller"] && car.headUnit.calls.map(\.state) == ["Ringing"])
    await car.ask(.accept)
    await car.wait(.seconds(1))
    #expect(talk.calls.isConnected && car.headUnit.calls.map(\.state) == ["Active"])
    await car.ask(.hold)
    await car.ask(.mute)
    await car.wait(.seconds(1))
    #expect(talk.calls.isOnHold && talk.calls.isMuted && car.headUnit.calls.map(\.state) == ["Held"])
    await car.ask(.end)
    await car.wait(.seconds(1))
    #expect(talk.calls.current == nil && car.headUnit.calls.isEmpty)
  }

  @Test("A missed call leaves nothing on the head unit, and is announced in the car")
  func missedCall() async {
    let talk = Talk()
    let car = await drive(talk)
    await car.goHome()
    talk.calls.ring(.ben)
    await car.wait(.seconds(1))
    #expect(car.screen.kind == .alert)
    talk.calls.hangUpByPeer()
    await car.wait(.seconds(1))
    #expect(car.headUnit.calls.isEmpty)
    #expect(car.screen.first(.banner)?.title == "Missed call: Ben Fisher")
  }

  @Test("A row of the list and Siri call somebody")
  func outgoingCalls() async {
    let talk = Talk()
    let car = await drive(talk)
    await car.tap("Ben Fisher")
    await car.wait(.seconds(1))
    #expect(car.headUnit.calls.map(\.name) == ["Ben Fisher"] && car.headUnit.calls.map(\.isIncoming) == [false])
    await car.ask(.end)
    await car.wait(.seconds(1))
    await car.call("Ann")
    await car.wait(.seconds(1))
    #expect(talk.calls.current?.person == .ann && car.headUnit.calls.map(\.state) == ["Active"])
  }

  @Test("Siri reads a message once, and the app sees that it is read")
  func messages() async {
    let talk = Talk()
    let car = await drive(talk)
    await car.readMessages()
    await car.wait(.seconds(1))
    #expect(talk.messages.map(\.isRead) == [true])
    await car.readMessages()
    await car.wait(.seconds(1))
    #expect(car.log.contains { $0.text.contains("no new messages") })
    await car.send("Ten minutes late", to: "Ben Fisher")
    await car.wait(.seconds(1))
    #expect(talk.sent.map(\.to) == ["Ben Fisher"])
    #expect(car.diagnostics.isEmpty && car.end == nil)
  }
}
