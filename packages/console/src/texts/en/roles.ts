/** User roles. */
export const roles = {
  title: 'Roles',
  about: 'Each user has one role. Documents and files can be granted to a role, and rules of collections name roles.',
  name: 'Name',
  description: 'Description',
  builtIn: 'built in',
  create: 'Create a role',
  edit: 'Edit',
  editOf: (name: string) => `Edit the role ${name}`,
  delete: 'Delete the role',
  deleteOf: (name: string) => `Delete the role ${name}`,
  deleteAbout: (name: string) =>
    `This deletes the role ${name} and what was granted to it. Its users become registered users. Type its name to confirm.`,
};
