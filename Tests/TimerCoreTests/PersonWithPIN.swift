import Directory
import Hashing
import Model
import TimerCore

/// Anna, with PIN 4711 and duress PIN 0815.
enum PersonWithPIN {
    static let right = "4711"
    static let duress = "0815"

    static var directory: Replica {
        let salt = [UInt8](repeating: 7, count: PINHash.saltBytes)
        let hashes = [right, duress].map {
            Hex.encode(PINHash.of($0, person: Some.anna, salt: salt))
        }
        let unused = (2..<PersonPIN.slots).map {
            Hex.encode([UInt8](repeating: UInt8($0), count: PINHash.hashBytes))
        }
        var replica = Replica()
        replica.apply(.personChanged(Person(id: Some.anna, name: "Anna")))
        replica.apply(
            .pinChanged(
                PersonPIN(
                    person: Some.anna, salt: Hex.encode(salt), hashes: hashes + unused)))
        return replica
    }
}

extension [Effect] {
    /// Signals that raise an emergency.
    var signals: [EmergencySignal] {
        compactMap {
            if case .publish(let event) = $0, case .watchExpired(let signal) = event.body {
                signal
            } else {
                nil
            }
        }
    }

    /// Published changes of check-ins.
    var checkIns: [CheckIn] {
        compactMap {
            if case .publish(let event) = $0, case .checkInChanged(let checkIn) = event.body {
                checkIn
            } else {
                nil
            }
        }
    }

    /// Published timers that ran out.
    var timersExpired: [PersonTimer] {
        compactMap {
            if case .publish(let event) = $0, case .timerExpired(let timer) = event.body {
                timer
            } else {
                nil
            }
        }
    }

    /// What the person sees: everything but the signals under duress and their watchdogs.
    var shown: [Effect] {
        filter { effect in
            switch effect {
            case .saveSignal, .saveDeliveryWatchdog: return false
            case .publish(let event):
                guard case .watchExpired(let signal) = event.body else { return true }
                return signal.underDuress == nil
            default: return true
            }
        }
    }
}
