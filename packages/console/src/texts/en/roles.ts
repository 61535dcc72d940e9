/** User roles. */
export const roles = {
  title: 'Roles',
  about: 'Each user has one role. Documents and files can be shared with roles, and collection rules refer to them.',
  name: 'Name',
  description: 'Description',
  builtIn: 'built in',
  create: 'Create a role',
  edit: 'Edit',
  editOf: (name: string) => `Edit the role ${name}`,
  delete: 'Delete the role',
  deleteOf: (name: string) => `Delete the role ${name}`,
  deleteAbout: (name: string) =>
    `This deletes the role ${name} and all permissions granted to it. Its users become registered users. Type its name to confirm.`,
};
