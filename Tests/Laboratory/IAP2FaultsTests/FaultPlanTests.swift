// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing

@Suite struct FaultPlanTests {
  static func plan(_ text: String) throws(FaultPlan.Problem) -> FaultPlan {
    try FaultPlan(parsing: text, seed: 42, events: ["identified"])
  }

  @Test(arguments: [
    ("", "seed=42"),
    ("loss=0.05,seed=7", "loss=0.05,seed=7"),
    ("to-phone:delay=20,jitter=10", "jitter=10,to-phone:delay=20,seed=42"),
    ("half-open=identified,disconnect=random:500", "half-open=identified,disconnect=random:500,seed=42"),
    ("to-headunit:stall=2000+500,rate=9600", "rate=9600,to-headunit:stall=2000+500,seed=42"),
    ("loss=0.5,to-phone:loss=0", "to-headunit:loss=0.5,seed=42"),
  ]) func aFaultPlanRoundTripsAsText(text: String, written: String) throws {
    let plan = try Self.plan(text)
    #expect(plan.description == written)
    let again = try Self.plan(written)
    #expect(again == plan)
    #expect(FaultPlan.namedSeed(in: written) == plan.seed)
    #expect(plan.isEmpty == (written == "seed=42"))
  }

  @Test(
    arguments: [
      ("loss", .notNameAndValue("loss")),
      ("lag=1", .unknownName("lag")),
      ("out:loss=1", .unknownDirection("out")),
      ("loss=2", .badValue(name: "loss", value: "2", takes: "a probability of 0 to 1")),
      ("loss=nan", .badValue(name: "loss", value: "nan", takes: "a probability of 0 to 1")),
      ("delay=-1", .badValue(name: "delay", value: "-1", takes: "milliseconds")),
      ("rate=0", .badValue(name: "rate", value: "0", takes: "bytes a second, at least 1")),
      ("stall=5", .badValue(name: "stall", value: "5", takes: "a moment and milliseconds, as in 2000+500")),
      ("to-phone:seed=1", .noDirection(name: "seed")),
      ("loss=0.1,loss=0.2", .repeated(item: "loss")),
      ("loss=0.1,delay=5,loss=0.1", .repeated(item: "loss")),
      ("to-phone:stall=1+1,to-phone:stall=2+1", .repeated(item: "to-phone:stall")),
      ("to-phone:delay=20,delay=10", .repeated(item: "delay")),
      ("seed=1,disconnect=5,seed=1", .repeated(item: "seed")),
      (
        "half-open=soon",
        .badValue(
          name: "half-open", value: "soon", takes: "milliseconds, an event's name, or random:MILLISECONDS")
      ),
    ] as [(String, FaultPlan.Problem)]) func invalidFaultPlansAreRejectedByName(
      text: String, problem: FaultPlan.Problem
    )
  {
    #expect(throws: problem) { try Self.plan(text) }
  }
}
