import Hosting
import Model
import Wire

@testable import EvaluatorDaemon

/// What a record leads to is told in an order that another process would not have, as by going
/// through a set.
final class OrderOfSets: Plant {
    func service(_ inner: any Service, of seat: Seat) -> any Service {
        guard let evaluator = inner as? EvaluatorService, seat.starts % 2 == 0 else { return inner }
        let service = Meddled(evaluator)
        service.applyInstead = { event, stream, position in
            guard case .input(let partition) = stream else { return }
            var outputs: [Event] = []
            evaluator.core.handle(event, in: partition, into: &outputs)
            for output in outputs.reversed() {
                try evaluator.host.publish(output, on: .events(partition))
            }
            evaluator.noteApplied(partition, at: position)
        }
        return service
    }
}
