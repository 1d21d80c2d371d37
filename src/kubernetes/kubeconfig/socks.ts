// The build bundles this module: it is loaded for SOCKS proxies only.
export { SocksClient } from 'socks';
