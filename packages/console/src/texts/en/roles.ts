/** User roles. */
export const roles = {
  title: 'Roles',
  about: 'Each user has one role. Documents and files can be shared with roles, and collection rules refer to them.',
  name: 'Name',
  description: 'Description',
  builtIn: 'Built in',
  create: 'New role',
  edit: 'Edit',
  editOf: (name: string) => `Edit role ${name}`,
  menuOf: (name: string) => `Actions for ${name}`,
  delete: 'Delete role',
  deleteAbout: (name: string) =>
    `This deletes the role ${name} and all permissions granted to it. Its users become registered users. Type its name to confirm.`,
};
