import Model

extension PartitionState {
    /// A circle's zones, whole.
    mutating func place(_ circle: PlacedCircle) {
        configurations += 1
        let place = circles.place(of: circle.circle, making: JudgedZones())
        unreadableZones -= circles[place].unreadable
        circles[place].replace(by: circle.zones, at: configurations)
        unreadableZones += circles[place].unreadable
    }

    /// Nobody of this partition is in the circle any more.
    mutating func remove(_ circle: CircleID) {
        guard let place = circles.place(of: circle) else { return }
        configurations += 1
        unreadableZones -= circles[place].unreadable
        circles.remove(circle, leaving: JudgedZones())
    }

    /// A person as configured now: circles, leading device, own zones.
    mutating func place(_ person: PlacedPerson) {
        configurations += 1
        let links = person.circles.sorted().map { circle in
            PersonState.CircleLink(circle: circle, since: configurations)
        }
        let place = people.place(of: person.person, making: PersonState(id: person.person))
        let before = people[place].leader
        people[place].chosenDevice = person.leadingDevice
        if people[place].leader != before { people[place].leaderChanged() }
        people[place].link(to: links)
        unreadableZones -= people[place].ownZones.unreadable
        people[place].ownZones.replace(by: person.zones, at: configurations)
        unreadableZones += people[place].ownZones.unreadable
    }

    /// Forgets a person; an emergency that still runs is resolved, so that nobody goes on being
    /// told.
    mutating func remove(_ person: PersonID, _ event: Event, into outputs: inout [Event]) {
        guard let place = people.place(of: person) else { return }
        configurations += 1
        unreadableZones -= people[place].ownZones.unreadable
        let steps = people[place].emergency.personRemoved()
        tell(steps, of: people[place], event, into: &outputs)
        people.remove(person, leaving: PersonState(id: person))
    }
}

extension PersonState {
    /// Circles that were there before stay known.
    fileprivate mutating func link(to links: [CircleLink]) {
        let before = circles
        circles = links.map { link in
            before.first { $0.circle == link.circle } ?? link
        }
    }
}
