import Hosting
import Model
import Wire

@testable import EvaluatorDaemon

/// The effects of a record are emitted in an order that differs between processes, such as that of
/// a set.
final class OrderOfSets: PlantedBug {
    func service(_ inner: any Service, of slot: ProcessSlot) -> any Service {
        guard let evaluator = inner as? EvaluatorService, slot.starts % 2 == 0 else { return inner }
        let service = InterceptedService.wrap(evaluator)
        service.applyInstead = { event, stream, position in
            guard case .input(let partition) = stream else { return }
            var outputs: [Event] = []
            evaluator.core.handle(event, in: partition, into: &outputs)
            for output in outputs.reversed() {
                try evaluator.host.publish(output, on: .events(partition))
            }
            evaluator.recordApplied(partition, at: position)
        }
        return service
    }
}
