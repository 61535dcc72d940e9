interface ImportMetaEnv {
  /** The address of the service. */
  readonly VITE_SERVICE?: string;
  readonly VITE_APP_CODE?: string;
}
