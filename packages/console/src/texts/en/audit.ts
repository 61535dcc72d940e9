export const audit = {
  title: 'Audit log',
  noneAbout:
    'Security-relevant events of users and administrators. They are never changed, and removed after the retention period.',
  none: 'No events match',
  act: 'Event',
  allActs: 'All events',
  by: 'Actor',
  target: 'Target',
  partyAbout: 'ID or exact name',
  from: 'From',
  until: 'To',
  time: 'Time',
  network: 'Network',
  details: 'Details',
  operator: 'Operator',
  anonymous: 'Anonymous',
};
