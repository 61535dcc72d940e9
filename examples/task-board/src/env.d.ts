interface ImportMetaEnv {
  /** Address of the server. */
  readonly VITE_SERVICE?: string;
  readonly VITE_APP_CODE?: string;
}
