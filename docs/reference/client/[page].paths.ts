import { routesOf } from '../../.vitepress/reference.ts';

export default routesOf('client');
